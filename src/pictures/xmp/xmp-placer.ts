// What the writers of all formats share.
import type { ByteWindow } from '../byte-window.ts';

/** New bytes, or bytes of the file from one offset to another. */
export type Piece = Uint8Array | { from: number; to: number };

/** Returns the pieces of the file with the packet in place. @throws PictureError if the packet has no place */
export type XmpPlacer = (bytes: ByteWindow, packet: Uint8Array) => Promise<Piece[]>;

/** Drops pieces without bytes. */
export function withoutEmpty(pieces: readonly Piece[]): Piece[] {
  return pieces.filter((piece) =>
    piece instanceof Uint8Array ? piece.length > 0 : piece.to > piece.from,
  );
}
