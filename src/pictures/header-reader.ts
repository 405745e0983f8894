// The header of a picture in any supported format.
import type { ByteWindow } from './byte-window.ts';

export interface PictureHeader {
  format: 'png' | 'jpeg' | 'tiff';
  width: number;
  height: number;
  /** Maximum bytes of memory per pixel while decoding. */
  bytesPerPixel: number;
}

export type HeaderReader = (bytes: ByteWindow) => Promise<PictureHeader>;
