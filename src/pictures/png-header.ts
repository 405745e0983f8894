// Reads the chunks of a PNG except its pixels.

import { type ByteWindow, textOf } from './byte-window.ts';
import type { PictureHeader } from './header-reader.ts';
import { MetadataBudget } from './metadata-budget.ts';
import { PictureError, truncatedError } from './picture-error.ts';

/** Chunks usually have 8 KB, so a 4K picture with 16 bits has about eight thousand chunks. */
const maxChunks = 262_144;
const pixelChunks = new Set(['IHDR', 'PLTE', 'tRNS', 'IDAT', 'IEND']);
const maxKeywordLength = 79;
/** Channels by colour type, with the alpha channel that a chunk may add to grey, colour and palette pictures. */
const channelsOf: Readonly<Record<number, number>> = { 0: 2, 2: 4, 3: 4, 4: 2, 6: 4 };

export async function readPngHeader(bytes: ByteWindow): Promise<PictureHeader> {
  const metadata = new MetadataBudget();
  let size: Omit<PictureHeader, 'format'> | null = null;
  let at = 8;
  for (let count = 0; count < maxChunks; count += 1) {
    const head = await bytes.readView(at, 8, 'its list of chunks');
    const length = head.getUint32(0);
    const type = String.fromCharCode(...[4, 5, 6, 7].map((place) => head.getUint8(place)));
    if (at + 12 + length > bytes.size) throw truncatedError(`chunk ${JSON.stringify(type)}`);
    size ??= await sizeOf(bytes, at + 8, type, length);
    if (type === 'IEND') return { format: 'png', ...size };
    if (!pixelChunks.has(type)) metadata.add(length, await kindOf(bytes, at + 8, type, length));
    at += 12 + length;
  }
  throw new PictureError('TOO_LARGE', `has more than ${maxChunks} chunks`);
}

async function sizeOf(bytes: ByteWindow, at: number, type: string, length: number) {
  if (type !== 'IHDR' || length !== 13) {
    throw new PictureError('DAMAGED', 'is a PNG that does not begin with its size');
  }
  const head = await bytes.readView(at, length, 'its size');
  const channels = channelsOf[head.getUint8(9)] ?? 4;
  const bytesOfChannel = head.getUint8(8) === 16 ? 2 : 1;
  const isInterlaced = head.getUint8(12) !== 0;
  // Interlaced pictures are kept in memory until the last pass, other pictures only some rows.
  const held = isInterlaced ? channels * bytesOfChannel : 0;
  return { width: head.getUint32(0), height: head.getUint32(4), bytesPerPixel: held + channels };
}

async function kindOf(bytes: ByteWindow, at: number, type: string, length: number) {
  if (type === 'zTXt') return 'packed text';
  if (type === 'iCCP') return 'packed profile';
  if (type !== 'iTXt') return 'plain';
  // An iTXt chunk begins with a keyword, a zero byte, and a flag for compressed text.
  const start = textOf(await bytes.readView(at, Math.min(length, maxKeywordLength + 2), 'a text'));
  const end = start.indexOf('\0');
  return end >= 0 && start[end + 1] === '\0' ? 'plain' : 'packed text';
}
