// Limits a picture's data other than pixels (profiles, previews, notes), because decoders unpack and copy all of it.
import { PictureError } from './picture-error.ts';

/** Maximum size of all pieces. Camera notes and a preview take a few hundred kilobytes, a print profile up to 2 MB. */
export const maxBytes = 4 * 1024 ** 2;
/** Maximum size of packed text. It is small, because packed text can unpack to a thousand times its size. */
export const maxPackedText = 16 * 1024;
/** Maximum size of packed profiles. A packed profile states its size, which decoders enforce. */
export const maxPackedProfile = 1024 ** 2;
export const maxPieces = 1_000;

export class MetadataBudget {
  #bytes = 0;
  #packedText = 0;
  #packedProfile = 0;
  #pieces = 0;

  /** Counts a piece of data. @throws PictureError TOO_LARGE above a limit */
  add(bytes: number, kind: 'plain' | 'packed text' | 'packed profile' = 'plain'): void {
    this.#pieces += 1;
    this.#bytes += bytes;
    if (kind === 'packed text') this.#packedText += bytes;
    if (kind === 'packed profile') this.#packedProfile += bytes;
    assertAtMost(this.#pieces, maxPieces, 'blocks of metadata');
    assertAtMost(this.#bytes, maxBytes, 'bytes of metadata');
    assertAtMost(this.#packedText, maxPackedText, 'bytes of compressed text');
    assertAtMost(this.#packedProfile, maxPackedProfile, 'bytes of compressed colour profile');
  }
}

function assertAtMost(count: number, maxCount: number, unit: string): void {
  if (count <= maxCount) return;
  throw new PictureError('TOO_LARGE', `has more than ${maxCount} ${unit}`);
}
