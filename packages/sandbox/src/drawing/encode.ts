// Raw pictures to files as the API delivers them: PNG and JPEG with 8 bits, TIFF with 16.
import sharp from 'sharp';
import type { PictureDepth, RawPicture } from './picture.ts';

export type PictureFormat = 'PNG' | 'JPEG' | 'TIFF';

export function depthOf(format: PictureFormat): PictureDepth {
  return format === 'TIFF' ? 16 : 8;
}

/** Encodes a picture; sRGB, without alpha, the same bytes for the same picture. */
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
