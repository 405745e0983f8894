import sharp from 'sharp';

/**
 * Creates a small copy for lists and pages: a JPEG of an encoded picture or picture file, at most `side` pixels per
 * side and never enlarged.
 */
export function encodeThumbnail(picture: Uint8Array | string, side = 256): Promise<Buffer> {
  return sharp(picture)
    .resize(side, side, { fit: 'inside', withoutEnlargement: true })
    .toColourspace('srgb')
    .jpeg({ quality: 82 })
    .toBuffer();
}
