// Encodes raw pictures as the API delivers them: PNG and JPEG with 8 bits, TIFF with 16.
import sharp from 'sharp';
import type { PictureDepth, RawPicture } from './picture.ts';

export type PictureFormat = 'PNG' | 'JPEG' | 'TIFF';

export function depthOf(format: PictureFormat): PictureDepth {
  return format === 'TIFF' ? 16 : 8;
}

/** Encodes a picture as sRGB without alpha. The same picture gives the same bytes. */
export function encodePicture(picture: RawPicture, format: PictureFormat): Promise<Buffer> {
  const { width, height, data } = picture;
  const image = sharp(data, { raw: { width, height, channels: 4 } }).removeAlpha();
  if (format === 'TIFF') {
    return image
      .toColourspace('rgb16')
      .tiff({ compression: 'deflate', predictor: 'horizontal' })
      .toBuffer();
  }
  if (format === 'JPEG') return image.jpeg({ quality: 90, chromaSubsampling: '4:4:4' }).toBuffer();
  return image.png({ compressionLevel: 6 }).toBuffer();
}
