// Reads format and size of a picture before any decoder gets the file.
import { DiskFile } from '../disk/disk-file.ts';
import { ByteWindow } from './byte-window.ts';
import type { HeaderReader, PictureHeader } from './header-reader.ts';
import { readJpegHeader } from './jpeg-header.ts';
import { PictureError } from './picture-error.ts';
import { readPngHeader } from './png-header.ts';
import { readTiffHeader } from './tiff-header.ts';

const readers: readonly (readonly [start: readonly number[], read: HeaderReader])[] = [
  [[0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a], readPngHeader],
  [[0xff, 0xd8, 0xff], readJpegHeader],
  [[0x49, 0x49, 42, 0], readTiffHeader],
  [[0x4d, 0x4d, 0, 42], readTiffHeader],
  [[0x49, 0x49, 43, 0], readTiffHeader],
  [[0x4d, 0x4d, 0, 43], readTiffHeader],
];

/**
 * Bytes per pixel while decoding: four channels of 16 bits, which interlaced pictures keep in memory, and the result with
 * 8 bits. A picture that takes more bytes per pixel may have fewer pixels.
 */
export const maxBytesPerPixel = 12;
/** Maximum pixels if the requested size is unknown: more than 4K doubled in both directions. */
export const defaultMaxPixels = 8_192 * 4_096;
export const defaultDecodedBytes = defaultMaxPixels * maxBytesPerPixel;
/** For the limit of the file size: four uncompressed channels of 32 bits. */
const fileBytesPerPixel = 16;
const metadataBytes = 16 * 1024 ** 2;

/**
 * Reads only the header, and refuses a file with wrong sizes after a few reads.
 * @throws PictureError for a picture that must not be decoded; errors of the file system unchanged
 */
export async function readPictureHeader(file: string, maxPixels: number): Promise<PictureHeader> {
  const handle = await DiskFile.open(file);
  try {
    const info = handle.stat();
    if (!info.isFile()) throw new PictureError('FORMAT', 'is not a file');
    const { size } = info;
    const window = new ByteWindow(size, (position, length) => handle.readAt(position, length));
    return await readHeader(window, maxPixels);
  } finally {
    handle.close();
  }
}

/** Like `readPictureHeader`, for a picture in memory. */
export function readPictureHeaderOfBytes(
  bytes: Uint8Array,
  maxPixels: number,
): Promise<PictureHeader> {
  const readAt = async (position: number, length: number) =>
    bytes.subarray(position, position + length);
  return readHeader(new ByteWindow(bytes.length, readAt), maxPixels);
}

async function readHeader(bytes: ByteWindow, maxPixels: number): Promise<PictureHeader> {
  const start = await bytes.readView(0, 8, 'it').catch(() => null);
  const read = readers.find(([mark]) =>
    mark.every((byte, index) => start?.getUint8(index) === byte),
  )?.[1];
  if (read === undefined) throw new PictureError('FORMAT', 'is not a PNG, JPEG or TIFF');
  const max = maxPixels * fileBytesPerPixel + metadataBytes;
  if (bytes.size > max) {
    throw new PictureError('TOO_LARGE', `has ${bytes.size} bytes, more than ${max}`);
  }
  const head = await read(bytes);
  const { width, height } = head;
  if (width === 0 || height === 0) throw new PictureError('DAMAGED', 'has no pixels');
  if (width * height > maxPixels) {
    const problem = `is ${width} x ${height} pixels, more than ${maxPixels} in all`;
    throw new PictureError('TOO_LARGE', problem);
  }
  const taken = width * height * head.bytesPerPixel;
  const maxTaken = maxPixels * maxBytesPerPixel;
  if (taken > maxTaken) {
    const problem = `takes ${taken} bytes of memory to decode, more than ${maxTaken}`;
    throw new PictureError('TOO_LARGE', problem);
  }
  return head;
}
