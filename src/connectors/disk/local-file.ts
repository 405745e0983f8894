// An open file in a local folder. Returns its bytes, and tells whether they are all from one version.
import type { Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { DiskFile } from '../../disk/disk-file.ts';
import type { Entry, OpenFile } from '../connector.ts';
import { withRetry } from './disk-retry.ts';

/** Files up to this size are read with one call, which is much cheaper than a stream. */
const smallBytes = 128 * 1024;
const chunkBytes = 256 * 1024;

interface OpenedFile {
  path: string;
  /** Path in which links to folders are resolved. The file itself may be a link. */
  file: string;
  handle: DiskFile;
  info: Stats;
  convertError: (error: unknown) => unknown;
}

export class LocalOpenFile implements OpenFile {
  readonly entry: Entry;
  readonly #openedFile: OpenedFile;

  constructor(openedFile: OpenedFile) {
    this.entry = entryOf(openedFile.path, openedFile.info);
    this.#openedFile = openedFile;
  }

  async content(): Promise<Uint8Array | Readable> {
    const { bytes } = this.entry;
    if (bytes > smallBytes) return Readable.from(this.#chunks(), { objectMode: false });
    return this.#read(0, bytes);
  }

  async *#chunks(): AsyncGenerator<Uint8Array> {
    const { bytes } = this.entry;
    // Reads only up to the initial size, because `isUnchanged` detects a file that is growing.
    for (let offset = 0; offset < bytes; ) {
      const chunk = await this.#read(offset, Math.min(chunkBytes, bytes - offset));
      if (chunk.length === 0) return;
      yield chunk;
      offset += chunk.length;
    }
  }

  async #read(offset: number, bytes: number): Promise<Buffer> {
    const { handle, convertError } = this.#openedFile;
    return withRetry(() => handle.readAt(offset, bytes)).catch((error: unknown) => {
      throw convertError(error);
    });
  }

  async isUnchanged(): Promise<boolean> {
    const { handle, info, file, convertError } = this.#openedFile;
    const currentInfo = await withRetry(async () => handle.stat()).catch((error: unknown) => {
      throw convertError(error);
    });
    const byName = await stat(file).catch(() => undefined);
    // A file that was deleted after its last byte was read counts as unchanged, because all of it was read.
    return (
      isSameFileVersion(info, currentInfo) &&
      (byName === undefined || isSameFileVersion(currentInfo, byName))
    );
  }

  async close(): Promise<void> {
    this.#openedFile.handle.close();
  }
}

function isSameFileVersion(a: Stats, b: Stats): boolean {
  return a.size === b.size && a.mtimeMs === b.mtimeMs && a.ino === b.ino;
}

export function entryOf(
  path: string,
  { size, mtimeMs, ctimeMs }: Pick<Stats, 'size' | 'mtimeMs' | 'ctimeMs'>,
): Entry {
  const changedMs = Math.trunc(ctimeMs);
  return { path, bytes: size, mtimeMs: Math.trunc(mtimeMs), changedMs };
}
