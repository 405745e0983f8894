// Reads the directories of a TIFF: classic and BigTIFF, in both byte orders.

import type { ByteWindow } from './byte-window.ts';
import type { PictureHeader } from './header-reader.ts';
import { MetadataBudget } from './metadata-budget.ts';
import { PictureError } from './picture-error.ts';

const maxDirectories = 16;
const maxEntries = 1_000;
const tags = {
  width: 256,
  height: 257,
  bitsOfSample: 258,
  colours: 262,
  samples: 277,
  rowsPerStrip: 278,
  tileWidth: 322,
  tileHeight: 323,
} as const;
/** Print colours and Lab, which decoders take longest to convert. */
const convertedColors = new Set([5, 8, 9]);
/** Bytes of a value, by its type number. */
export const valueBytes = [1, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 1, 1, 8, 8, 8] as const;

interface Layout {
  isLittleEndian: boolean;
  /** True for offsets of eight bytes. */
  isBigTiff: boolean;
}

/** Returns the size of the largest picture or tile in the file, since decoders allocate memory for any of them. */
export async function readTiffHeader(bytes: ByteWindow): Promise<PictureHeader> {
  const head = await bytes.readView(0, 8, 'its head');
  const isLittleEndian = head.getUint8(0) === 0x49;
  const layout = { isLittleEndian, isBigTiff: head.getUint16(2, isLittleEndian) === 43 };
  const metadata = new MetadataBudget();
  let first: Omit<PictureHeader, 'format'> | null = null;
  let offset = await readOffset(bytes, layout.isBigTiff ? 8 : 4, layout);
  for (let count = 0; offset !== 0; count += 1) {
    if (count >= maxDirectories) {
      throw new PictureError('TOO_LARGE', `contains more than ${maxDirectories} pictures`);
    }
    const { values, next } = await readDirectory(bytes, offset, layout, metadata);
    const size = { ...sizeOf(values), bytesPerPixel: countBytesPerPixel(values) };
    if (first === null || bytesOf(size) > bytesOf(first)) first = size;
    offset = next;
  }
  if (first === null) throw new PictureError('DAMAGED', 'is a TIFF without a picture');
  return { format: 'tiff', ...first };
}

function sizeOf(values: ReadonlyMap<number, number>): { width: number; height: number } {
  const value = (tag: number) => values.get(tag) ?? 0;
  const [width, height] = [value(tags.width), value(tags.height)];
  const tile = { width: value(tags.tileWidth), height: value(tags.tileHeight) };
  // A small picture usually has a single tile, but a tile that is far larger than the picture is suspicious.
  const isMuch = tile.width * tile.height > Math.max(width * height, 1024 ** 2);
  return isMuch ? tile : { width, height };
}

function bytesOf({ width, height, bytesPerPixel }: Omit<PictureHeader, 'format'>): number {
  return width * height * bytesPerPixel;
}

/** Decoders read short strips one by one. For tall strips and tiles, all samples count as kept in memory. */
function countBytesPerPixel(values: ReadonlyMap<number, number>): number {
  const rows = values.get(tags.rowsPerStrip) ?? Number.POSITIVE_INFINITY;
  const isHeld = values.has(tags.tileWidth) || 4 * rows > (values.get(tags.height) ?? 0);
  const samples = Math.max(values.get(tags.samples) ?? 1, 1);
  const bytesOfSample = Math.ceil((values.get(tags.bitsOfSample) ?? 1) / 8);
  const isConverted = convertedColors.has(values.get(tags.colours) ?? 0);
  return (isHeld ? samples * bytesOfSample : 0) + (isConverted ? 2 * samples : samples);
}

async function readDirectory(
  bytes: ByteWindow,
  offset: number,
  layout: Layout,
  metadata: MetadataBudget,
): Promise<{ values: Map<number, number>; next: number }> {
  const { isLittleEndian, isBigTiff } = layout;
  const count = isBigTiff
    ? await readOffset(bytes, offset, layout)
    : (await bytes.readView(offset, 2, 'a directory')).getUint16(0, isLittleEndian);
  if (count > maxEntries) {
    throw new PictureError('TOO_LARGE', `has more than ${maxEntries} entries in a directory`);
  }
  const values = new Map<number, number>();
  const entryBytes = isBigTiff ? 20 : 12;
  let position = offset + (isBigTiff ? 8 : 2);
  for (let index = 0; index < count; index += 1, position += entryBytes) {
    const entry = await bytes.readView(position, entryBytes, 'a directory');
    const [tag, type] = [entry.getUint16(0, isLittleEndian), entry.getUint16(2, isLittleEndian)];
    const length = isBigTiff
      ? Number(entry.getBigUint64(4, isLittleEndian))
      : entry.getUint32(4, isLittleEndian);
    const size = valueBytes[type] ?? 8;
    if (length * size > (isBigTiff ? 8 : 4)) metadata.add(length * size);
    const valueAt = isBigTiff ? 12 : 8;
    const value =
      size === 2
        ? entry.getUint16(valueAt, isLittleEndian)
        : entry.getUint32(valueAt, isLittleEndian);
    values.set(tag, value);
    // Three or more bit depths are stored outside the entry. Decoders refuse pictures with different depths.
    if (tag === tags.bitsOfSample && length * size > (isBigTiff ? 8 : 4)) {
      const depthsAt = await readOffset(bytes, position + valueAt, layout);
      const depths = await bytes.readView(depthsAt, 2, 'its depth');
      values.set(tag, depths.getUint16(0, isLittleEndian));
    }
  }
  return { values, next: await readOffset(bytes, position, layout) };
}

async function readOffset(
  bytes: ByteWindow,
  offset: number,
  { isLittleEndian, isBigTiff }: Layout,
): Promise<number> {
  const view = await bytes.readView(offset, isBigTiff ? 8 : 4, 'a directory');
  return isBigTiff
    ? Number(view.getBigUint64(0, isLittleEndian))
    : view.getUint32(0, isLittleEndian);
}
