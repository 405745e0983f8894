// Small pictures in every format of a decal or texture.
import sharp from 'sharp';

export type ImageType = 'png' | 'jpg' | 'jpeg' | 'webp' | 'gif' | 'svg' | 'tif' | 'tiff';

/** 12 by 8 pixels by default, in one colour. */
export async function image(
  type: ImageType = 'png',
  { width = 12, height = 8, color = '#cc2222' } = {},
): Promise<Buffer> {
  if (type === 'svg') {
    return Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><rect width="100%" height="100%" fill="${color}"/></svg>`,
    );
  }
  const format = type === 'jpg' ? 'jpeg' : type === 'tif' ? 'tiff' : type;
  return sharp({ create: { width, height, channels: 3, background: color } })
    .toFormat(format)
    .toBuffer();
}
