// Creates thumbnails of pictures for contact sheets.
import { shrinkPicture } from '../pictures/decoding/decode.ts';

/** Maximum sizes of thumbnails. */
export const thumbnailSizes = {
  large: { width: 360, height: 270 },
  /** Size for sheets with many pictures. */
  small: { width: 240, height: 180 },
} as const;

/** Creates a JPEG thumbnail. Returns null if the file is missing, damaged, too large or not a picture. */
export async function createThumbnail(
  path: string,
  size: keyof typeof thumbnailSizes,
): Promise<Buffer | null> {
  return shrinkPicture(path, thumbnailSizes[size]).catch(() => null);
}
