// Reads the format and size of a picture before it is passed to a decoder.

import { DiskFile } from '../disk/disk-file.ts';
import { type ByteSource, toBufferSource, toFileSource } from '../glb/byte-source.ts';
import { ByteWindow, textOf } from './byte-window.ts';
import type { HeaderReader, PictureHeader } from './header-reader.ts';
import { readJpegHeader } from './jpeg-header.ts';
import { MetadataBudget } from './metadata-budget.ts';
import { PictureError, truncatedError } from './picture-error.ts';
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
 * Bytes per pixel while decoding: four 16-bit channels, which interlaced pictures keep in memory, and the 8-bit result.
 * A picture that takes more bytes per pixel may have fewer pixels.
 */
export const maxBytesPerPixel = 12;
/** Maximum number of pixels if the requested size is unknown: more than 4K doubled in both directions. */
export const defaultMaxPixels = 8_192 * 4_096;
export const defaultDecodedBytes = defaultMaxPixels * maxBytesPerPixel;
/** Bytes per pixel for the limit of the file size: four uncompressed 32-bit channels. */
const fileBytesPerPixel = 16;
const metadataBytes = 16 * 1024 ** 2;

/**
 * Reads only the header, and refuses a file with wrong sizes after a few reads.
 * @throws PictureError for a picture that must not be decoded; errors of the file system unchanged
 */
export async function readPictureHeader(file: string, maxPixels: number): Promise<PictureHeader> {
  const handle = await DiskFile.open(file);
  try {
    if (!handle.stat().isFile()) throw new PictureError('FORMAT', 'is not a file');
    return await readHeader(toFileSource(handle), maxPixels);
  } finally {
    handle.close();
  }
}

/** Like `readPictureHeader`, for a picture in memory. */
export function readPictureHeaderOfBytes(
  bytes: Uint8Array,
  maxPixels: number,
): Promise<PictureHeader> {
  return readHeader(toBufferSource(bytes), maxPixels);
}

async function readHeader(source: ByteSource, maxPixels: number): Promise<PictureHeader> {
  const bytes = new ByteWindow(source);
  const start = await bytes.readView(0, 8, 'it').catch(() => null);
  const readFormat = readers.find(([mark]) =>
    mark.every((byte, index) => start?.getUint8(index) === byte),
  )?.[1];
  if (readFormat === undefined) throw new PictureError('FORMAT', 'is not a PNG, JPEG or TIFF');
  const maxBytes = maxPixels * fileBytesPerPixel + metadataBytes;
  if (bytes.size > maxBytes) {
    throw new PictureError('TOO_LARGE', `has ${bytes.size} bytes; the maximum is ${maxBytes}`);
  }
  const head = await readFormat(bytes);
  const { width, height } = head;
  if (width === 0 || height === 0) throw new PictureError('DAMAGED', 'has no pixels');
  if (width * height > maxPixels) {
    const problem = `is ${width} x ${height} pixels; the maximum is ${maxPixels} in total`;
    throw new PictureError('TOO_LARGE', problem);
  }
  const memoryBytes = width * height * head.bytesPerPixel;
  const maxMemoryBytes = maxPixels * maxBytesPerPixel;
  if (memoryBytes > maxMemoryBytes) {
    const problem = `needs ${memoryBytes} bytes of memory to be decoded; the maximum is ${maxMemoryBytes}`;
    throw new PictureError('TOO_LARGE', problem);
  }
  return head;
}

/** Chunks are usually 8 KB, so a 16-bit 4K picture has about eight thousand chunks. */
const maxChunks = 262_144;
const pixelChunks = new Set(['IHDR', 'PLTE', 'tRNS', 'IDAT', 'IEND']);
const maxKeywordLength = 79;
/** Channels by colour type, with the alpha channel that a chunk may add to grey, colour and palette pictures. */
const channelsOf: Readonly<Record<number, number>> = { 0: 2, 2: 4, 3: 4, 4: 2, 6: 4 };

async function readPngHeader(bytes: ByteWindow): Promise<PictureHeader> {
  const metadata = new MetadataBudget();
  let size: Omit<PictureHeader, 'format'> | null = null;
  let offset = 8;
  for (let count = 0; count < maxChunks; count += 1) {
    const { type, length, end } = await readPngChunk(bytes, offset);
    size ??= await readSize(bytes, offset + 8, type, length);
    if (type === 'IEND') return { format: 'png', ...size };
    if (!pixelChunks.has(type))
      metadata.add(length, await readKind(bytes, offset + 8, type, length));
    offset = end;
  }
  throw new PictureError('TOO_LARGE', `has more than ${maxChunks} chunks`);
}

/** Reads the head of a chunk. @returns `length` of its data, and `end` of the chunk with its checksum */
export async function readPngChunk(bytes: ByteWindow, offset: number) {
  const head = await bytes.readView(offset, 8, 'its list of chunks');
  const type = textOf(head).slice(4);
  const length = head.getUint32(0);
  const end = offset + 12 + length;
  if (end > bytes.size) throw truncatedError(`chunk ${JSON.stringify(type)}`);
  return { type, length, end };
}

async function readSize(bytes: ByteWindow, offset: number, type: string, length: number) {
  if (type !== 'IHDR' || length !== 13) {
    throw new PictureError('DAMAGED', 'is a PNG whose first chunk is not a valid IHDR');
  }
  const head = await bytes.readView(offset, length, 'its size');
  const channels = channelsOf[head.getUint8(9)] ?? 4;
  const bytesOfChannel = head.getUint8(8) === 16 ? 2 : 1;
  const isInterlaced = head.getUint8(12) !== 0;
  // Interlaced pictures are kept in memory until the last pass. Of other pictures, only some rows are kept.
  const held = isInterlaced ? channels * bytesOfChannel : 0;
  return { width: head.getUint32(0), height: head.getUint32(4), bytesPerPixel: held + channels };
}

async function readKind(bytes: ByteWindow, offset: number, type: string, length: number) {
  if (type === 'zTXt') return 'packed text';
  if (type === 'iCCP') return 'packed profile';
  if (type !== 'iTXt') return 'plain';
  // An iTXt chunk starts with a keyword, a zero byte, and a flag for compressed text.
  const start = textOf(
    await bytes.readView(offset, Math.min(length, maxKeywordLength + 2), 'a text'),
  );
  const end = start.indexOf('\0');
  return end >= 0 && start[end + 1] === '\0' ? 'plain' : 'packed text';
}
