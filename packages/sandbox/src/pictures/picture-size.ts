// Brings pictures to the requested size cheaply: an enlarged small picture, or a test card.
import sharp, { type Sharp } from 'sharp';

import type { PictureFormat } from '../drawing/pictures/encode.ts';

export interface PictureSize {
  readonly width: number;
  readonly height: number;
  readonly format: PictureFormat;
}

/** A small picture enlarged to the size and format; pixels stay visible, so that it is not taken for a full render. */
export function enlarge(bytes: Uint8Array, size: PictureSize): Promise<Buffer> {
  return encode(
    sharp(bytes).resize(size.width, size.height, { fit: 'fill', kernel: 'nearest' }),
    size,
  );
}

/** A test card in the requested size and format. On a transparent background it has a margin, like a product. */
export function testCard(size: PictureSize, isTransparent = false): Promise<Buffer> {
  const { width, height } = size;
  const margin = isTransparent ? 10 : 0;
  const side = `${100 - 2 * margin}%`;
  const card = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">
    <linearGradient id="g" x2="1" y2="1"><stop stop-color="#27304a"/><stop offset="1" stop-color="#e8b04b"/></linearGradient>
    <rect x="${margin}%" y="${margin}%" width="${side}" height="${side}" fill="url(#g)"/>
    <circle cx="50%" cy="50%" r="25%" fill="#f4f1ea"/></svg>`;
  const picture = sharp(Buffer.from(card));
  return encode(isTransparent && size.format !== 'JPEG' ? picture : toOpaque(picture), size);
}

function toOpaque(picture: Sharp): Sharp {
  return picture.flatten({ background: '#ffffff' });
}

function encode(image: Sharp, { format }: PictureSize): Promise<Buffer> {
  if (format === 'JPEG') return image.jpeg({ quality: 90 }).toBuffer();
  if (format === 'TIFF') {
    return image.toColourspace('rgb16').tiff({ compression: 'deflate' }).toBuffer();
  }
  return image.png({ compressionLevel: 2 }).toBuffer();
}
