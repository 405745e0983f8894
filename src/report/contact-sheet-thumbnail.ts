// Small copies of pictures for contact sheets.
import { shrinkPicture } from '../pictures/decoding/decode.ts';

/** Boxes that thumbnails fit into. */
export const thumbnailSizes = {
  large: { width: 360, height: 270 },
  /** For sheets with very many pictures. */
  small: { width: 240, height: 180 },
} as const;

/** A JPEG copy, or null when the file is no picture, damaged, larger than any render, or gone. */
export async function makeThumbnail(
  path: string,
  size: keyof typeof thumbnailSizes,
): Promise<Buffer | null> {
  return shrinkPicture(path, thumbnailSizes[size]).catch(() => null);
}
