// What the first bytes of each format are read for.
import type { ByteWindow } from './byte-window.ts';

export interface PictureHead {
  format: 'png' | 'jpeg' | 'tiff';
  width: number;
  height: number;
}

export type HeadReader = (bytes: ByteWindow) => Promise<PictureHead>;
