// A source of bytes: an open file or a buffer. Reads are small and have an offset.
import { DiskFile } from '../disk/disk-file.ts';

export type ByteSource = {
  readonly size: number;
  /** Returns up to `length` bytes at `offset`. Returns fewer only at the end of the file. */
  read(offset: number, length: number): Promise<Uint8Array>;
};

/** Creates a source over bytes already in memory. */
export function toBufferSource(bytes: Uint8Array): ByteSource {
  return {
    size: bytes.byteLength,
    read: (offset, length) => Promise.resolve(bytes.subarray(offset, offset + length)),
  };
}

/** Calls `task` with the bytes of a file, and then closes the file. */
export async function withFileSource<T>(
  path: string,
  task: (source: ByteSource) => Promise<T>,
): Promise<T> {
  const file = await DiskFile.open(path);
  try {
    return await task(toFileSource(file));
  } finally {
    file.close();
  }
}

/** Creates a source over an open file. Bytes that are appended later are not read. */
export function toFileSource(file: DiskFile): ByteSource {
  const { size } = file.stat();
  return {
    size,
    read: (offset, length) => file.readAt(offset, Math.max(0, Math.min(length, size - offset))),
  };
}
