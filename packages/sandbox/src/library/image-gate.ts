// Keeps images from the decoder that are of no known kind, or that would keep it busy.
import { open } from 'node:fs/promises';
import { PictureError } from 'renderline/pictures/picture-error';
import { bytesUnasked, pictureHeadOf, readPictureHead } from 'renderline/pictures/picture-head';

/** They hold no packed data beside their pixels, and the decoder limits those. */
const others = [/^GIF8[79]a/, /^RIFF.{4}WEBP/s];

/** Why no decoder gets an image: no PNG, JPEG, TIFF, GIF or WebP, or one beyond its bounds; null where one may. */
export async function refuseImage(
  source: string | Uint8Array,
  pixelsAtMost: number,
): Promise<string | null> {
  const start = Buffer.from(await firstBytes(source, 12)).toString('latin1');
  if (others.some((mark) => mark.test(start))) return null;
  const head =
    typeof source === 'string'
      ? readPictureHead(source, pixelsAtMost)
      : pictureHeadOf(source, pixelsAtMost);
  return head.then(
    ({ width, height, bytesOfPixel }) => {
      const taken = width * height * bytesOfPixel;
      return taken > bytesUnasked ? `the file takes ${taken} bytes of memory to decode` : null;
    },
    (error: unknown) => {
      if (error instanceof PictureError) return `the file ${error.message}`;
      throw error;
    },
  );
}

export async function firstBytes(source: string | Uint8Array, count: number): Promise<Uint8Array> {
  if (typeof source !== 'string') return source.subarray(0, count);
  const file = await open(source);
  try {
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(count), length: count });
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
