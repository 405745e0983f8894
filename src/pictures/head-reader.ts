// Result of reading a picture's first bytes, in any format.
import type { ByteWindow } from './byte-window.ts';

export interface PictureHead {
  format: 'png' | 'jpeg' | 'tiff';
  width: number;
  height: number;
}

export type HeadReader = (bytes: ByteWindow) => Promise<PictureHead>;
