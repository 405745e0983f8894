// Decodes untrusted pictures, at most two at once, in processes of their own: a thread of this process would
// take file access from everything else while it decodes, and cannot be stopped.

import pLimit from 'p-limit';
import { PictureError } from '../picture-error.ts';
import { readPictureHead } from '../picture-head.ts';
import type { ThumbnailBox } from './decoder-script.ts';
import { DecodingProcess } from './decoding-process.ts';

export const atOnce = 2;
/** 4K takes half a second; more on an overloaded machine. */
export const timeoutMs = 120_000;
/** Most bytes that decoding may take: for an interlaced picture of 16 bits decoders hold all pixels beside their output. */
export const memoryOf = (pixels: number) => 384 * 1024 ** 2 + 16 * pixels;
/** An idle process holds some 80 MB. */
const idleMs = 30_000;

/** Limit where the requested size is unknown: twice 4K in both directions is below. */
export const mostPixelsUnasked = 8_192 * 8_192;

const limit = pLimit(atOnce);
const idle: { decoder: DecodingProcess; timer: NodeJS.Timeout }[] = [];

export interface LookedPicture {
  format: 'png' | 'jpeg' | 'tiff';
  width: number;
  height: number;
  /** True where all pixels have one colour. */
  isBlank: boolean;
}

/** @throws PictureError; errors of the file system as they are */
export async function decodePicture(file: string, mostPixels: number): Promise<LookedPicture> {
  const { format, width, height } = await readPictureHead(file, mostPixels);
  const pixels = width * height;
  const reply = await ask({ file, pixels, memoryBytes: memoryOf(pixels) });
  if (reply.kind !== 'looked') throw damaged(reply, file);
  return { format, width: reply.width, height: reply.height, isBlank: reply.isBlank };
}

/** A JPEG no larger than the box. @throws PictureError; errors of the file system as they are */
export async function shrinkPicture(file: string, box: ThumbnailBox): Promise<Buffer> {
  const { width, height } = await readPictureHead(file, mostPixelsUnasked);
  const pixels = width * height;
  const reply = await ask({ file, pixels, memoryBytes: memoryOf(pixels), thumbnail: box });
  if (reply.kind === 'thumbnail') return Buffer.from(reply.jpeg);
  throw damaged(reply, file);
}

function ask(request: Parameters<DecodingProcess['decode']>[0]) {
  return limit(async () => {
    const decoder = taken();
    try {
      return await decoder.decode(request, timeoutMs);
    } finally {
      putBack(decoder);
    }
  });
}

function taken(): DecodingProcess {
  for (let last = idle.pop(); last !== undefined; last = idle.pop()) {
    clearTimeout(last.timer);
    if (last.decoder.isUsable) return last.decoder;
  }
  return new DecodingProcess();
}

function putBack(decoder: DecodingProcess): void {
  if (!decoder.isUsable) return;
  const timer = setTimeout(() => {
    decoder.end();
    const at = idle.findIndex((one) => one.decoder === decoder);
    if (at >= 0) idle.splice(at, 1);
  }, idleMs);
  timer.unref();
  idle.push({ decoder, timer });
}

function damaged(reply: { kind: string; message?: string }, file: string): PictureError {
  // The path of a staged file means nothing to readers.
  const reason = (reply.message ?? reply.kind).replaceAll(file, 'the file');
  return new PictureError('DAMAGED', `does not decode: ${reason}`);
}
