// The program of a decoding process. It is JavaScript in a string, because Node cannot start TypeScript, and because it
// must run in the same way from the sources and from the build.

import type { PictureHeader } from '../header-reader.ts';
import type { ImageMeasures } from '../image-checks.ts';
import type { ImageSpec } from '../image-spec.ts';
import { defaultMaxPixels } from '../picture-header.ts';
import { deriveScript } from './derive-script.ts';
import { frameScript } from './frame-script.ts';
import { measureScript } from './measure-script.ts';

/** Maximum size of a scaled picture, in pixels. */
export interface ThumbnailBox {
  width: number;
  height: number;
}

export interface DecodeRequest {
  file: string;
  /** Maximum memory of the whole process, in bytes. */
  memoryBytes: number;
  pixels: number;
  /** Needed to derive an image, and to check whether the picture is blank. */
  format?: PictureHeader['format'];
  /**
   * Requests a JPEG that fits this size. Without `thumbnail`, `small`, `derive` and `measure`, the reply says
   * whether the picture is blank.
   */
  thumbnail?: ThumbnailBox;
  /** Requests the pixels, scaled to fit this size. */
  small?: ThumbnailBox;
  /** Requests an image derived from the picture, written to the file `into`. */
  derive?: { image: ImageSpec; into: string };
  /** Requests the measures of a finished image and, with `mark`, a copy that shows a failed check. */
  measure?: MeasureRequest;
}

export interface FramedSize {
  width: number;
  height: number;
  /** Position of the picture in the image, if the picture was padded and may have its own background. */
  inner?: { left: number; top: number; width: number; height: number } | undefined;
}

export interface MeasureRequest {
  inner?: FramedSize['inner'];
  /** Required background, `#rrggbb`. Defaults to the most frequent colour at the edges. */
  background?: string | undefined;
  /** A PNG of the same image on transparency. If its edges are transparent, its opaque pixels are the object. */
  outline?: string | undefined;
  /** Requests a small copy that marks pixels around the object that are not background, or with `fill` the object. */
  mark?: 'background' | 'fill' | 'nothing' | undefined;
}

export type DecodeReply =
  | { kind: 'inspected'; width: number; height: number; isBlank: boolean }
  | { kind: 'thumbnail'; jpeg: Uint8Array }
  /** Red, green, blue and alpha of each pixel. */
  | { kind: 'small'; width: number; height: number; data: Uint8Array }
  /** `quality` is null for formats without quality. */
  | ({ kind: 'derived'; bytes: number; quality: number | null } & FramedSize)
  /** The picture cannot become this image: it is too small, has too few bits, or is too large at any quality. */
  | { kind: 'refused'; reason: 'LARGER' | 'BITS' | 'BYTES'; message: string }
  /** `marked` is a small JPEG. */
  | { kind: 'measured'; measures: Omit<ImageMeasures, 'bytes'>; marked?: Uint8Array }
  | { kind: 'failed'; message: string }
  | { kind: 'memory' };

/** A PNG or TIFF with more pixels is first checked at reduced size, and fully decoded only if it may be blank. */
const maxHeld = defaultMaxPixels;

/**
 * A picture is blank exactly if it equals itself shifted by one pixel. sharp's statistics would take ten times as long.
 * All pixels are decoded, because nothing else proves that a picture is complete.
 */
export const decoderScript = `
const sharp = require(process.argv[1]);
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({
  operation: ['VipsForeignLoadPngFile', 'VipsForeignLoadJpegFile', 'VipsForeignLoadTiffFile'],
});
sharp.cache(false);
// There are as many processes as slots, each with one thread.
sharp.concurrency(1);

async function inspect({ file, pixels, format }) {
  // The TIFF decoder reports a truncated file as damaged, not as truncated.
  const failOn = format === 'tiff' ? 'error' : 'truncated';
  const open = () => sharp(file, { failOn, sequentialRead: true, limitInputPixels: pixels });
  if (pixels > ${maxHeld} && (format === 'tiff' || format === 'png')) {
    const { width, height } = await open().metadata();
    if (await shows(open(), { width, height })) return { kind: 'inspected', width, height, isBlank: false };
  }
  const { data, info } = await open().raw().toBuffer({ resolveWithObject: true });
  const { width, height, channels } = info;
  const isBlank = data.subarray(channels).equals(data.subarray(0, data.length - channels));
  return { kind: 'inspected', width, height, isBlank };
}

// Shrinking decodes all of a picture too, a few rows at a time. Small differences may come from the shrinking.
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
${frameScript}
${measureScript}
// Ctrl-C goes to all processes of a terminal. This one ignores it, so that the worker can finish the current picture.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => undefined);
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
process.on('message', (request) => {
  const watch = setInterval(() => {
    if (process.memoryUsage.rss() > request.memoryBytes) process.send({ kind: 'memory' });
  }, 20);
  const { derive: derives, measure: measures, small, thumbnail } = request;
  const work = derives ? derive : measures ? measure : small ? pixelsOf : thumbnail ? shrink : inspect;
  work(request)
    .catch((error) => ({ kind: 'failed', message: String(error.message) }))
    .then((reply) => {
      clearInterval(watch);
      // Pixels of a large picture would count against the memory of the next one. Small ones are not worth the time.
      if (request.pixels >= 8_000_000) setImmediate(gc);
      process.send(reply);
    });
});
`;
