// Copies a file from any connector to this machine, for code that needs a path, such as image decoders.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Connector } from '../connector.ts';

/** Runs `task` with a temporary copy of the file. Null if the file does not exist or is larger than `maxBytes`. */
export async function withLocalCopy<T>(
  connector: Connector,
  path: string,
  { maxBytes, signal }: { maxBytes: number; signal?: AbortSignal | undefined },
  task: (file: string) => Promise<T>,
): Promise<T | null> {
  const entry = await connector.stat(path);
  if (entry === null || entry.bytes > maxBytes) return null;
  const folder = await mkdtemp(join(tmpdir(), 'renderline-copy-'));
  try {
    const file = join(folder, 'file');
    const openFile = await connector.open(path, signal);
    try {
      await writeFile(file, await openFile.content(), { signal });
    } finally {
      await openFile.close();
    }
    return await task(file);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
