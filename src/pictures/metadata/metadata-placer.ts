// Types and helpers that the metadata writers of all picture formats share.
import type { ByteWindow } from '../byte-window.ts';
import type { MetadataPackets } from './metadata-packets.ts';

/** New bytes, or a range of the original file. Both may be empty. */
export type Piece = Uint8Array | { from: number; to: number };

/** Returns the pieces of the file with the packets in place. @throws PictureError if the packets cannot be placed */
export type MetadataPlacer = (bytes: ByteWindow, packets: MetadataPackets) => Promise<Piece[]>;

const partBytes = 64 * 1024;

/** Copies a range of the file, which may be longer than a view of `ByteWindow`. */
export async function copyBytes(
  bytes: ByteWindow,
  { from, to }: { from: number; to: number },
  label: string,
): Promise<Buffer> {
  const parts: Buffer[] = [];
  for (let offset = from; offset < to; offset += partBytes) {
    const view = await bytes.readView(offset, Math.min(partBytes, to - offset), label);
    parts.push(Buffer.from(new Uint8Array(view.buffer, view.byteOffset, view.byteLength).slice()));
  }
  return Buffer.concat(parts);
}
