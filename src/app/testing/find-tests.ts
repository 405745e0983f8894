// Finds test files: the given ones, those of the given pipelines, and all of those in the given folders.
import { readdir, stat } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { commandFailures } from '../../failures/commands.ts';
import { RenderlineError } from '../renderline-error.ts';

const isTestFile = (name: string) => /\.test\.ya?ml$/.test(name);

/** @returns the given test files and those in given folders @throws RenderlineError NO_TESTS for an empty folder */
export async function findTestFiles(paths: readonly string[], cwd: string): Promise<string[]> {
  const testFiles = new Set<string>();
  for (const path of paths) {
    // A missing file is not an error here, because it is reported later, together with the problems of other files.
    const info = await stat(resolve(cwd, path)).catch(() => null);
    if (!info?.isDirectory()) {
      // The path of a pipeline stands for its test file.
      testFiles.add(isTestFile(path) ? path : path.replace(/\.ya?ml$/, '.test.yaml'));
      continue;
    }
    const folderFiles = await testFilesBelow(resolve(cwd, path));
    if (folderFiles.length === 0) {
      const message = `No test file (NAME.test.yaml) found in ${path === '.' ? cwd : path}.`;
      throw new RenderlineError(commandFailures.NO_TESTS, message);
    }
    for (const file of folderFiles) testFiles.add(relative(cwd, file));
  }
  return [...testFiles];
}

async function testFilesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const files = entries.flatMap((entry) =>
    entry.isFile() && isTestFile(entry.name) ? join(folder, entry.name) : [],
  );
  const folders = entries.filter(
    (entry) => entry.isDirectory() && !entry.name.startsWith('.') && entry.name !== 'node_modules',
  );
  const nested = await Promise.all(folders.map(({ name }) => testFilesBelow(join(folder, name))));
  return [...files.sort(), ...nested.flat()];
}
