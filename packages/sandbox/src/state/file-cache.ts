// Files that are created on first request and then kept.
import { randomUUID } from 'node:crypto';
import { rename, stat, writeFile } from 'node:fs/promises';

const buildsByPath = new Map<string, Promise<number>>();

/** Creates the file unless it exists. Concurrent calls share one build. Returns the file's size in bytes. */
export function createFileOnce(path: string, make: () => Promise<Uint8Array>): Promise<number> {
  const currentBuild = buildsByPath.get(path);
  if (currentBuild) return currentBuild;
  const build = createFile(path, make).finally(() => buildsByPath.delete(path));
  buildsByPath.set(path, build);
  return build;
}

async function createFile(path: string, make: () => Promise<Uint8Array>): Promise<number> {
  const existingFile = await stat(path).catch(() => undefined);
  if (existingFile) return existingFile.size;
  const bytes = await make();
  // The name is unique, because a process that was considered dead may still create the same file.
  const partialPath = `${path}.${randomUUID()}.partial`;
  await writeFile(partialPath, bytes);
  await rename(partialPath, path);
  return bytes.length;
}
