// Small copies of finished pictures, for lists and pages.
import sharp from 'sharp';

/** A JPEG of an encoded picture or the file that holds one, at most `side` pixels wide and high; never larger than the picture. */
export function encodeThumbnail(picture: Uint8Array | string, side = 256): Promise<Buffer> {
  return sharp(picture)
    .resize(side, side, { fit: 'inside', withoutEnlargement: true })
    .toColourspace('srgb')
    .jpeg({ quality: 82 })
    .toBuffer();
}
