// Reads format and size of a picture before any decoder gets the file.
import { DiskFile } from '../disk/disk-file.ts';
import { ByteWindow } from './byte-window.ts';
import type { HeadReader, PictureHead } from './head-reader.ts';
import { readJpegHead } from './jpeg-head.ts';
import { PictureError } from './picture-error.ts';
import { readPngHead } from './png-head.ts';
import { readTiffHead } from './tiff-head.ts';

const readers: readonly (readonly [start: readonly number[], read: HeadReader])[] = [
  [[0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a], readPngHead],
  [[0xff, 0xd8, 0xff], readJpegHead],
  [[0x49, 0x49, 42, 0], readTiffHead],
  [[0x4d, 0x4d, 0, 42], readTiffHead],
  [[0x49, 0x49, 43, 0], readTiffHead],
  [[0x4d, 0x4d, 0, 43], readTiffHead],
];

/**
 * Bytes per pixel while decoding: four channels of 16 bits, which interlaced pictures keep in memory, and the result with
 * 8 bits. Pictures that take more may have fewer pixels.
 */
export const bytesOfPixelAtMost = 12;
/** Used if the requested size is unknown: larger than 4K doubled in both directions, and small enough for one process. */
export const mostPixelsUnasked = 8_192 * 4_096;
export const bytesUnasked = mostPixelsUnasked * bytesOfPixelAtMost;
/** Four channels of 32 bits. */
const bytesInFile = 16;
const bytesBeside = 16 * 1024 ** 2;

/**
 * Reads the header only, and little of a file whose sizes are wrong.
 * @throws PictureError for a picture that must not be decoded; errors of the file system unchanged
 */
export async function readPictureHead(file: string, mostPixels: number): Promise<PictureHead> {
  const handle = await DiskFile.open(file);
  try {
    const info = handle.look();
    if (!info.isFile()) throw new PictureError('FORMAT', 'is not a file');
    const { size } = info;
    const window = new ByteWindow(size, (position, length) => handle.at(position, length));
    return await headOf(window, mostPixels);
  } finally {
    handle.close();
  }
}

/** The same for a picture in memory. */
export function pictureHeadOf(bytes: Uint8Array, mostPixels: number): Promise<PictureHead> {
  const readAt = async (position: number, length: number) =>
    bytes.subarray(position, position + length);
  return headOf(new ByteWindow(bytes.length, readAt), mostPixels);
}

async function headOf(bytes: ByteWindow, mostPixels: number): Promise<PictureHead> {
  const start = await bytes.at(0, 8, 'it').catch(() => null);
  const read = readers.find(([mark]) =>
    mark.every((byte, index) => start?.getUint8(index) === byte),
  )?.[1];
  if (read === undefined) throw new PictureError('FORMAT', 'is not a PNG, JPEG or TIFF');
  const most = mostPixels * bytesInFile + bytesBeside;
  if (bytes.size > most) {
    throw new PictureError('TOO_LARGE', `has ${bytes.size} bytes, more than ${most}`);
  }
  const head = await read(bytes);
  const { width, height } = head;
  if (width === 0 || height === 0) throw new PictureError('DAMAGED', 'has no pixels');
  if (width * height > mostPixels) {
    const problem = `is ${width} x ${height} pixels, more than ${mostPixels} in all`;
    throw new PictureError('TOO_LARGE', problem);
  }
  const taken = width * height * head.bytesOfPixel;
  const mostTaken = mostPixels * bytesOfPixelAtMost;
  if (taken > mostTaken) {
    const problem = `takes ${taken} bytes of memory to decode, more than ${mostTaken}`;
    throw new PictureError('TOO_LARGE', problem);
  }
  return head;
}
