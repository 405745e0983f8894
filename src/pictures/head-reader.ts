// The header of a picture in any supported format.
import type { ByteWindow } from './byte-window.ts';

export interface PictureHead {
  format: 'png' | 'jpeg' | 'tiff';
  width: number;
  height: number;
  /** Maximum bytes of memory per pixel while decoding. */
  bytesOfPixel: number;
}

export type HeadReader = (bytes: ByteWindow) => Promise<PictureHead>;
