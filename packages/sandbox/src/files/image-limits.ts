// Checks images before they are decoded. Unknown formats and images that would take too long are refused.
import { open } from 'node:fs/promises';
import { PictureError } from 'renderline/pictures/picture-error';
import {
  defaultDecodedBytes,
  readPictureHeader,
  readPictureHeaderOfBytes,
} from 'renderline/pictures/picture-header';

/** GIF and WebP are not checked, because only their pixels are compressed, and the decoder limits pixels. */
const others = [/^GIF8[79]a/, /^RIFF.{4}WEBP/s];

/** Returns why an image must not be decoded: not PNG, JPEG, TIFF, GIF or WebP, or above a limit. Null if it may be. */
export async function findImageProblem(
  source: string | Uint8Array,
  maxPixels: number,
): Promise<string | null> {
  const start = Buffer.from(await readFirstBytes(source, 12)).toString('latin1');
  if (others.some((mark) => mark.test(start))) return null;
  const head =
    typeof source === 'string'
      ? readPictureHeader(source, maxPixels)
      : readPictureHeaderOfBytes(source, maxPixels);
  return head.then(
    ({ width, height, bytesPerPixel }) => {
      const decodedBytes = width * height * bytesPerPixel;
      return decodedBytes > defaultDecodedBytes
        ? `the file needs ${decodedBytes} bytes of memory to be decoded`
        : null;
    },
    (error: unknown) => {
      if (error instanceof PictureError) return `the file ${error.message}`;
      throw error;
    },
  );
}

export async function readFirstBytes(
  source: string | Uint8Array,
  count: number,
): Promise<Uint8Array> {
  if (typeof source !== 'string') return source.subarray(0, count);
  const file = await open(source);
  try {
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(count), length: count });
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
