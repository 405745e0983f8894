// Finds the YAML files that a person means by files and folders.
import { readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';

/** Files as named, and the YAML files directly in each folder, each once. @throws errors of the file system */
export async function listPipelineFiles(
  cwd: string,
  paths: readonly string[],
): Promise<{ file: string; isNamed: boolean }[]> {
  const files: { file: string; isNamed: boolean }[] = [];
  for (const path of paths) {
    const absolute = resolve(cwd, path);
    if (!(await stat(absolute)).isDirectory()) {
      files.push({ file: path, isNamed: true });
      continue;
    }
    const names = (await readdir(absolute)).filter((name) => /\.ya?ml$/i.test(name)).sort();
    files.push(...names.map((name) => ({ file: join(path, name), isNamed: false })));
  }
  const seen = new Set<string>();
  return files.filter(({ file }) => {
    const absolute = resolve(cwd, file);
    return !seen.has(absolute) && seen.add(absolute);
  });
}
