// A file of any place as one of this machine, for who must have a path: decoders of pictures.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Connector } from './connector.ts';

/** Copies the file into a folder of our own, which goes when `work` is over; null where it is not there, or larger than this. */
export async function withLocalCopy<T>(
  connector: Connector,
  path: string,
  { maxBytes, signal }: { maxBytes: number; signal?: AbortSignal | undefined },
  work: (file: string) => Promise<T>,
): Promise<T | null> {
  const entry = await connector.stat(path);
  if (entry === null || entry.bytes > maxBytes) return null;
  const folder = await mkdtemp(join(tmpdir(), 'renderline-copy-'));
  try {
    const file = join(folder, 'file');
    const open = await connector.open(path, signal);
    try {
      await writeFile(file, await open.content(), { signal });
    } finally {
      await open.close();
    }
    return await work(file);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
