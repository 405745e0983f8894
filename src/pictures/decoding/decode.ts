// Decodes untrusted pictures, at most two at once, in processes of their own: a thread of this process would
// take file access from everything else while it decodes, and cannot be stopped.

import type { PictureHead } from '../head-reader.ts';
import { PictureError } from '../picture-error.ts';
import { bytesUnasked, mostPixelsUnasked, readPictureHead } from '../picture-head.ts';
import { DecoderPool } from './decoder-pool.ts';
import type { ThumbnailBox } from './decoder-script.ts';
import { DecodingProcess } from './decoding-process.ts';

export const atOnce = 2;
/** 4K takes half a second; more on an overloaded machine. */
export const timeoutMs = 120_000;
/** An idle process holds some 80 MB. */
const idleMs = 30_000;

/** A process that decodes takes these bytes of memory at most, and more only where larger pictures were asked for. */
export const memoryUnasked = 500 * 1024 ** 2;

/** The heads of formats foretell what decoding takes; a process that takes far more is ended. */
export const memoryOf = (bytes: number) => memoryUnasked + 2 * Math.max(0, bytes - bytesUnasked);

const decoders = new DecoderPool(() => new DecodingProcess(), { atOnce, idleMs, timeoutMs });

export interface LookedPicture {
  format: 'png' | 'jpeg' | 'tiff';
  width: number;
  height: number;
  /** True where all pixels have one colour. */
  isBlank: boolean;
}

/** @throws PictureError; errors of the file system as they are */
export async function decodePicture(file: string, mostPixels: number): Promise<LookedPicture> {
  const head = await readPictureHead(file, mostPixels);
  const { format } = head;
  const reply = await decoders.ask({ file, format, ...costOf(head) });
  if (reply.kind !== 'looked') throw damaged(reply, file);
  return { format, width: reply.width, height: reply.height, isBlank: reply.isBlank };
}

/** A JPEG no larger than the box. @throws PictureError; errors of the file system as they are */
export async function shrinkPicture(file: string, box: ThumbnailBox): Promise<Buffer> {
  const head = await readPictureHead(file, mostPixelsUnasked);
  const reply = await decoders.ask({ file, ...costOf(head), thumbnail: box });
  if (reply.kind === 'thumbnail') return Buffer.from(reply.jpeg);
  throw damaged(reply, file);
}

export interface SmallPixels {
  width: number;
  height: number;
  /** Red, green, blue and alpha of each pixel, in sRGB on white. */
  data: Uint8Array;
}

/** The pixels of a picture at the size that fills the box. @throws PictureError; errors of the file system as they are */
export async function smallPixels(file: string, box: ThumbnailBox): Promise<SmallPixels> {
  const head = await readPictureHead(file, mostPixelsUnasked);
  const reply = await decoders.ask({ file, ...costOf(head), small: box });
  // Bytes from another process may begin anywhere in memory, where they cannot be read as pixels.
  if (reply.kind === 'small') return { ...reply, data: new Uint8Array(reply.data) };
  throw damaged(reply, file);
}

function costOf({ width, height, bytesOfPixel }: PictureHead) {
  const pixels = width * height;
  return { pixels, memoryBytes: memoryOf(pixels * bytesOfPixel) };
}

function damaged(reply: { kind: string; message?: string }, file: string): PictureError {
  // The path of a staged file means nothing to readers.
  const reason = (reply.message ?? reply.kind).replaceAll(file, 'the file');
  return new PictureError('DAMAGED', `does not decode: ${reason}`);
}
