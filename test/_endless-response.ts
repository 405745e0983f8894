// An endless response body, for tests of readers that must stop.
import type { ServerResponse } from 'node:http';

/** Writes the piece until the reader disconnects. Calls `sent` with the number of bytes. */
export function writeForever(
  out: ServerResponse,
  piece: Buffer,
  sent: (bytes: number) => void,
): void {
  const more = () => {
    while (!out.destroyed) {
      sent(piece.length);
      if (!out.write(piece)) return;
    }
  };
  out.on('drain', more);
  more();
}
