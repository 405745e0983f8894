// Small copies of pictures for contact sheets.
import sharp from 'sharp';

/** Boxes that thumbnails fit into. */
export const thumbnailSizes = {
  large: { width: 360, height: 270 },
  /** Where there are very many. */
  small: { width: 240, height: 180 },
} as const;

/** Larger files than any render are not decoded. */
const maxPixels = 16384 * 16384;

/** A JPEG copy, or null when the file is no picture, damaged or gone. */
export async function makeThumbnail(
  path: string,
  size: keyof typeof thumbnailSizes,
): Promise<Buffer | null> {
  try {
    return await sharp(path, { limitInputPixels: maxPixels, failOn: 'error' })
      .rotate()
      .resize({ ...thumbnailSizes[size], fit: 'inside', withoutEnlargement: true })
      .flatten({ background: '#ffffff' })
      .toColourspace('srgb')
      .jpeg({ quality: 82 })
      .toBuffer();
  } catch {
    return null;
  }
}
