// Decodes untrusted pictures in child processes, at most two in parallel. A worker thread would block the file access
// of the whole process while it decodes, and could not be stopped.

import type { PictureHeader } from '../header-reader.ts';
import type { ImageMeasures } from '../image-checks.ts';
import { hasFrame, type ImageSpec, maxFrameSide } from '../image-spec.ts';
import { PictureError } from '../picture-error.ts';
import { defaultDecodedBytes, defaultMaxPixels, readPictureHeader } from '../picture-header.ts';
import { DecoderPool } from './decoder-pool.ts';
import type { FramedSize, MeasureRequest, ThumbnailBox } from './decoder-script.ts';
import { DecodingProcess } from './decoding-process.ts';

export const maxConcurrentDecodes = 2;
/** Time limit for a picture. A 4K picture takes half a second. An overloaded machine takes longer. */
export const decodeTimeoutMs = 120_000;
/** Time limit for deriving an image. A 4K AVIF takes four seconds, and the search for a quality eight times as long. */
export const deriveTimeoutMs = 600_000;
/** Bytes per pixel while an image is encoded. AVIF needs the most. */
export const bytesPerDerivedPixel = 48;
/** Idle processes end after this time, because each takes about 80 MB. */
const idleMs = 30_000;

/** Memory limit of a decoding process. It is larger for larger pictures, and for deriving an image. */
export const defaultMemoryBytes = 500 * 1024 ** 2;

/** Headers predict the memory that decoding takes. A process that takes far more is killed. */
const computeMemoryLimit = (bytes: number) =>
  defaultMemoryBytes + 2 * Math.max(0, bytes - defaultDecodedBytes);

const decoders = new DecoderPool(() => new DecodingProcess(), {
  maxConcurrent: maxConcurrentDecodes,
  idleMs,
  timeoutMs: decodeTimeoutMs,
});

export interface DecodedPicture {
  format: 'png' | 'jpeg' | 'tiff';
  width: number;
  height: number;
  /** True if all pixels have the same colour. */
  isBlank: boolean;
}

/** Decodes a picture to check that it is complete. @throws PictureError; errors of the file system unchanged */
export async function decodePicture(file: string, maxPixels: number): Promise<DecodedPicture> {
  const head = await readPictureHeader(file, maxPixels);
  const { format } = head;
  const reply = await decoders.decode({ file, format, ...estimateCost(head) });
  if (reply.kind !== 'inspected') throw damagedError(reply, file);
  return { format, width: reply.width, height: reply.height, isBlank: reply.isBlank };
}

/** Returns the picture as a JPEG that fits into the box. @throws PictureError; errors of the file system unchanged */
export async function shrinkPicture(file: string, box: ThumbnailBox): Promise<Buffer> {
  const head = await readPictureHeader(file, defaultMaxPixels);
  const reply = await decoders.decode({ file, ...estimateCost(head), thumbnail: box });
  if (reply.kind === 'thumbnail') return Buffer.from(reply.jpeg);
  throw damagedError(reply, file);
}

/**
 * Returns the pixels of a picture, in sRGB on white, scaled to fit the box: `data` has 4 bytes per pixel, RGBA by rows.
 * @throws PictureError; errors of the file system unchanged
 */
export async function decodeSmallPixels(file: string, box: ThumbnailBox) {
  const head = await readPictureHeader(file, defaultMaxPixels);
  const reply = await decoders.decode({ file, ...estimateCost(head), small: box });
  // Copied, since bytes from another process may be unaligned, and could then not be read as pixels.
  if (reply.kind === 'small') return { ...reply, data: new Uint8Array(reply.data) };
  throw damagedError(reply, file);
}

export interface DerivedPicture extends FramedSize {
  bytes: number;
}

/** The requested image cannot be created from the picture. The message is a clause that follows the word "it". */
export class ImageRefusedError extends Error {
  override name = 'ImageRefusedError';
  readonly reason: 'LARGER' | 'BITS' | 'BYTES';

  constructor({ reason, message }: Pick<ImageRefusedError, 'reason' | 'message'>) {
    super(message);
    this.reason = reason;
  }
}

/**
 * Derives an image from a picture and writes it to the file `into`. The same picture results in the same bytes with the
 * same version of sharp.
 * @throws ImageRefusedError; PictureError; errors of the file system unchanged
 */
export async function derivePicture(
  file: string,
  derive: { image: ImageSpec; into: string },
  { maxPixels, signal }: { maxPixels: number; signal?: AbortSignal | undefined },
): Promise<DerivedPicture> {
  const head = await readPictureHeader(file, maxPixels);
  const { pixels, memoryBytes } = estimateCost(head);
  const { width: wide = head.width, height: high = head.height } = derive.image;
  const { maxSide = maxFrameSide } = derive.image;
  // A frame around an object may have more pixels than the picture.
  const frame = hasFrame(derive.image) ? Math.min(2 * Math.max(wide, high), maxSide) ** 2 : 0;
  const encoding = Math.max(pixels, wide * high, frame) * bytesPerDerivedPixel;
  const cost = { pixels, memoryBytes: memoryBytes + encoding };
  const request = { file, format: head.format, ...cost, derive };
  const reply = await decoders.decode(request, signal, deriveTimeoutMs);
  if (reply.kind === 'refused') throw new ImageRefusedError(reply);
  if (reply.kind !== 'derived') throw damagedError(reply, file, derive.into);
  const { width, height, bytes, inner } = reply;
  return { width, height, bytes, inner };
}

/**
 * Measures an image that `derivePicture` has written.
 * @returns `marked`: a small JPEG on which the failed check is marked, if `mark` specifies one
 * @throws PictureError; errors of the file system unchanged
 */
export async function measureImage(
  file: string,
  { width, height, bytes, inner }: DerivedPicture,
  measure: Omit<MeasureRequest, 'inner'>,
  { signal }: { signal?: AbortSignal | undefined },
): Promise<{ measures: ImageMeasures; marked: Buffer | null }> {
  const pixels = width * height;
  const memoryBytes = computeMemoryLimit(pixels * bytesPerDerivedPixel);
  const request = { file, pixels, memoryBytes, measure: { ...measure, inner } };
  const reply = await decoders.decode(request, signal);
  if (reply.kind !== 'measured') throw damagedError(reply, file);
  const marked = reply.marked === undefined ? null : Buffer.from(reply.marked);
  return { measures: { ...reply.measures, bytes }, marked };
}

function estimateCost({ width, height, bytesPerPixel }: PictureHeader) {
  const pixels = width * height;
  return { pixels, memoryBytes: computeMemoryLimit(pixels * bytesPerPixel) };
}

function damagedError(reply: { kind: string; message?: string }, ...files: string[]): PictureError {
  const { kind, message = kind } = reply;
  // Paths of staged files are hidden, because they mean nothing to users.
  const reason = files.reduce((text, file) => text.replaceAll(file, 'the file'), message);
  return new PictureError('DAMAGED', `cannot be decoded: ${reason}`);
}
