// An answer that never ends, for who must stop reading it.
import type { ServerResponse } from 'node:http';

/** Writes the piece for as long as somebody reads; `sent` is told of the bytes. */
export function pour(out: ServerResponse, piece: Buffer, sent: (bytes: number) => void): void {
  const more = () => {
    while (!out.destroyed) {
      sent(piece.length);
      if (!out.write(piece)) return;
    }
  };
  out.on('drain', more);
  more();
}
