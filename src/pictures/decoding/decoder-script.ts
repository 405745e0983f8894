// The program of a decoding process. As text, since Node starts no TypeScript and sources must behave as their build.

import type { PictureHead } from '../head-reader.ts';
import type { ImageSpec } from '../image-spec.ts';
import { mostPixelsUnasked } from '../picture-head.ts';
import { deriveScript } from './derive-script.ts';

/** Largest size and look of thumbnails. */
export interface ThumbnailBox {
  width: number;
  height: number;
}

export interface DecodeRequest {
  file: string;
  /** Most bytes of memory of the whole process. */
  memoryBytes: number;
  pixels: number;
  /** Without it nothing that depends on the format is done. */
  format?: PictureHead['format'];
  /** Asks for a JPEG of this size; with neither this, `small` nor `derive`, for whether the picture is all of one colour. */
  thumbnail?: ThumbnailBox;
  /** Asks for the pixels at this size. */
  small?: ThumbnailBox;
  /** Asks for an image of the picture, written to the file `into`. */
  derive?: { image: ImageSpec; into: string };
}

export type DecodeReply =
  | { kind: 'looked'; width: number; height: number; isBlank: boolean }
  | { kind: 'thumbnail'; jpeg: Uint8Array }
  /** Red, green, blue and alpha of each pixel. */
  | { kind: 'small'; width: number; height: number; data: Uint8Array }
  /** `quality` is null for formats that have none. */
  | { kind: 'derived'; width: number; height: number; bytes: number; quality: number | null }
  /** The picture cannot become this image, whatever is tried: it is too small, of too few bits, or too large at any quality. */
  | { kind: 'refused'; reason: 'LARGER' | 'BITS' | 'BYTES'; message: string }
  | { kind: 'failed'; message: string }
  | { kind: 'memory' };

/** Pixels of pictures that are held whole while they are looked at; those of larger ones would be more than all else. */
const heldAtMost = mostPixelsUnasked;

/**
 * All pixels are equal just when the picture equals itself moved on by one pixel. Decoding to the last pixel is the only
 * proof that a picture is whole; sharp's own statistics would say more than is asked here and take ten times as long.
 */
export const decoderScript = `
const sharp = require(process.argv[1]);
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({
  operation: ['VipsForeignLoadPngFile', 'VipsForeignLoadJpegFile', 'VipsForeignLoadTiffFile'],
});
sharp.cache(false);
// As many processes as there are slots, each with a thread.
sharp.concurrency(1);

async function look({ file, pixels, format }) {
  // The decoder of TIFFs counts a file that was cut as damaged.
  const failOn = format === 'tiff' ? 'error' : 'truncated';
  const open = () => sharp(file, { failOn, sequentialRead: true, limitInputPixels: pixels });
  if (pixels > ${heldAtMost} && (format === 'tiff' || format === 'png')) {
    const { width, height } = await open().metadata();
    if (await shows(open(), { width, height })) return { kind: 'looked', width, height, isBlank: false };
  }
  const { data, info } = await open().raw().toBuffer({ resolveWithObject: true });
  const { width, height, channels } = info;
  const isBlank = data.subarray(channels).equals(data.subarray(0, data.length - channels));
  return { kind: 'looked', width, height, isBlank };
}

// Shrinking decodes all of a picture too, some rows at a time. Few levels apart may be the shrinking alone.
async function shows(picture, { width, height }) {
  const eighth = (side) => Math.ceil(side / 8);
  const { data, info } = await picture
    .resize({ width: eighth(width), height: eighth(height), fit: 'fill' })
    .raw()
    .toBuffer({ resolveWithObject: true });
  return data.some((level, at) => Math.abs(level - data[at % info.channels]) > 4);
}

const fitted = ({ file, pixels }, box) =>
  sharp(file, { failOn: 'error', limitInputPixels: pixels })
    .rotate()
    .resize({ ...box, fit: 'inside' })
    .flatten({ background: '#ffffff' })
    .toColourspace('srgb');

async function shrink(request) {
  const jpeg = await fitted(request, { ...request.thumbnail, withoutEnlargement: true }).jpeg({ quality: 82 }).toBuffer();
  return { kind: 'thumbnail', jpeg };
}

async function pixelsOf(request) {
  const { data, info } = await fitted(request, request.small)
    .ensureAlpha()
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true });
  return { kind: 'small', width: info.width, height: info.height, data };
}

${deriveScript}
// Ctrl-C goes to all processes of a terminal, and what the worker has begun it ends.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => undefined);
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
process.on('message', (request) => {
  const watch = setInterval(() => {
    if (process.memoryUsage.rss() > request.memoryBytes) process.send({ kind: 'memory' });
  }, 20);
  const work = request.derive ? derive : request.small ? pixelsOf : request.thumbnail ? shrink : look;
  work(request)
    .catch((error) => ({ kind: 'failed', message: String(error.message) }))
    .then((reply) => {
      clearInterval(watch);
      // Pixels of a large picture would count for the next one; collecting those of small ones costs more than they.
      if (request.pixels >= 8_000_000) setImmediate(gc);
      process.send(reply);
    });
});
`;
