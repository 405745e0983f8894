// Limits the data of a picture besides its pixels (profiles, previews, notes), since decoders unpack and copy all of it.
import { PictureError } from './picture-error.ts';

/** Camera notes and a preview take some hundred kilobytes, a print profile up to two million bytes. */
export const bytesAtMost = 4 * 1024 ** 2;
/** Small, since packed text can unpack to a thousand times its size. */
export const packedTextAtMost = 16 * 1024;
/** A packed profile states its size, which decoders enforce. */
export const packedProfileAtMost = 1024 ** 2;
export const piecesAtMost = 1_000;

export class Beside {
  #bytes = 0;
  #packedText = 0;
  #packedProfile = 0;
  #pieces = 0;

  /** @throws PictureError TOO_LARGE */
  add(bytes: number, kind: 'plain' | 'packed text' | 'packed profile' = 'plain'): void {
    this.#pieces += 1;
    this.#bytes += bytes;
    if (kind === 'packed text') this.#packedText += bytes;
    if (kind === 'packed profile') this.#packedProfile += bytes;
    refuseAbove(this.#pieces, piecesAtMost, 'pieces of notes beside its pixels');
    refuseAbove(this.#bytes, bytesAtMost, 'bytes beside its pixels');
    refuseAbove(this.#packedText, packedTextAtMost, 'bytes of packed text beside its pixels');
    refuseAbove(this.#packedProfile, packedProfileAtMost, 'bytes of a packed colour profile');
  }
}

function refuseAbove(count: number, most: number, what: string): void {
  if (count <= most) return;
  throw new PictureError('TOO_LARGE', `has more than ${most} ${what}`);
}
