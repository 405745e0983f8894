// Encodes raw pictures as the API delivers them: 8-bit PNG and JPEG, and 16-bit TIFF.
import sharp, { type Sharp } from 'sharp';
import type { PictureDepth, RawPicture } from './picture.ts';

export type PictureFormat = 'PNG' | 'JPEG' | 'TIFF';

export function depthOf(format: PictureFormat): PictureDepth {
  return format === 'TIFF' ? 16 : 8;
}

/** JPEG has no alpha channel, so transparent parts become white. */
function withAlpha(image: Sharp, format: PictureFormat): Sharp {
  return format === 'JPEG' ? image.flatten({ background: '#ffffff' }) : image;
}

/** Encodes a picture as sRGB, with alpha in PNG and TIFF if `hasAlpha`. The same picture yields the same bytes. */
export function encodePicture(picture: RawPicture, format: PictureFormat): Promise<Buffer> {
  const { width, height, data } = picture;
  const raw = sharp(data, { raw: { width, height, channels: 4 } });
  const image = picture.hasAlpha ? withAlpha(raw, format) : raw.removeAlpha();
  if (format === 'TIFF') {
    return image
      .toColourspace('rgb16')
      .tiff({ compression: 'deflate', predictor: 'horizontal' })
      .toBuffer();
  }
  if (format === 'JPEG') return image.jpeg({ quality: 90, chromaSubsampling: '4:4:4' }).toBuffer();
  return image.png({ compressionLevel: 6 }).toBuffer();
}
