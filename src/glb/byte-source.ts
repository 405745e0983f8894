// A source of bytes: an open file or a buffer. Reads are small and have an offset.
import type { FileHandle } from 'node:fs/promises';

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

/** Creates a source over an open file of known size. Bytes that are appended later are not read. */
export function toFileSource(handle: FileHandle, size: number): ByteSource {
  return {
    size,
    async read(offset, length) {
      const byteCount = Math.max(0, Math.min(length, size - offset));
      const buffer = Buffer.alloc(byteCount);
      let filled = 0;
      while (filled < byteCount) {
        const position = offset + filled;
        const { bytesRead } = await handle.read(buffer, filled, byteCount - filled, position);
        if (bytesRead === 0) break;
        filled += bytesRead;
      }
      return buffer.subarray(0, filled);
    },
  };
}
