// Result of reading a picture's first bytes, in any format.
import type { ByteWindow } from './byte-window.ts';

export interface PictureHead {
  format: 'png' | 'jpeg' | 'tiff';
  width: number;
  height: number;
  /** Bytes of memory that decoding takes at most for each pixel. */
  bytesOfPixel: number;
}

export type HeadReader = (bytes: ByteWindow) => Promise<PictureHead>;
