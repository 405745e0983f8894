// Files that are made on first request, then kept.
import { randomUUID } from 'node:crypto';
import { rename, stat, writeFile } from 'node:fs/promises';

const making = new Map<string, Promise<number>>();

/** Makes the file unless it exists; concurrent calls share one build. Returns its size in bytes. */
export function createFileOnce(path: string, make: () => Promise<Uint8Array>): Promise<number> {
  const running = making.get(path);
  if (running) return running;
  const started = createFile(path, make).finally(() => making.delete(path));
  making.set(path, started);
  return started;
}

async function createFile(path: string, make: () => Promise<Uint8Array>): Promise<number> {
  const existing = await stat(path).catch(() => undefined);
  if (existing) return existing.size;
  const bytes = await make();
  // Unique, since a process that was considered dead may still make the same file.
  const partial = `${path}.${randomUUID()}.partial`;
  await writeFile(partial, bytes);
  await rename(partial, path);
  return bytes.length;
}
