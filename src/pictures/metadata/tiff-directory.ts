// Replaces tags in the first directory of a TIFF file, or of an Exif block, which has the same format. The values and a
// new directory are appended to the file, since the old directory has no room. What an earlier call has appended is
// dropped first, so that files do not grow.
import type { ByteWindow } from '../byte-window.ts';
import { PictureError } from '../picture-error.ts';
import { valueBytes } from '../tiff-header.ts';
import type { Piece } from './metadata-placer.ts';

export const [byteType, asciiType, longType] = [1, 2, 4];
const maxEntries = 1_000;
const maxOffset = 2 ** 32 - 1;
/** The directory itself stores values of up to four bytes. */
const inlineBytes = 4;

export interface TagValue {
  type: number;
  bytes: Uint8Array;
}

/**
 * @param replacedTags tags that are removed if `values` does not contain them
 * @returns the pieces of the new file, and the number of tags in its directory
 */
export async function replaceTags(
  bytes: ByteWindow,
  replacedTags: readonly number[],
  values: ReadonlyMap<number, TagValue>,
): Promise<{ pieces: Piece[]; tags: number }> {
  const isLittleEndian = (await bytes.readView(0, 8, 'its head')).getUint8(0) === 0x49;
  const { at, entries, next } = await readDirectory(bytes, isLittleEndian);
  const isReplaced = (entry: DataView) => replacedTags.includes(entry.getUint16(0, isLittleEndian));
  const isAtEnd = at + directoryBytesOf(entries.length) === bytes.size;
  const to = isAtEnd ? startOfValues(entries.filter(isReplaced), at, isLittleEndian) : bytes.size;
  let end = roundUpToEven(to);
  const blobs: Uint8Array[] = [new Uint8Array(end - to)];
  const addedEntries = [...values].map(([tag, { type, bytes: value }]) => {
    const entry = new DataView(new ArrayBuffer(12));
    entry.setUint16(0, tag, isLittleEndian);
    entry.setUint16(2, type, isLittleEndian);
    entry.setUint32(4, value.length / (valueBytes[type] ?? 1), isLittleEndian);
    if (value.length <= inlineBytes) {
      bytesOf(entry).set(value, 8);
      return entry;
    }
    entry.setUint32(8, end, isLittleEndian);
    blobs.push(value, new Uint8Array(roundUpToEven(value.length) - value.length));
    end += roundUpToEven(value.length);
    return entry;
  });
  const sortedEntries = [...entries.filter((entry) => !isReplaced(entry)), ...addedEntries].sort(
    (a, b) => a.getUint16(0, isLittleEndian) - b.getUint16(0, isLittleEndian),
  );
  if (end + directoryBytesOf(sortedEntries.length) > maxOffset) {
    throw new PictureError(
      'TOO_LARGE',
      'is too large: a TIFF of 4 GB has no room for more metadata',
    );
  }
  const pointer = new DataView(new ArrayBuffer(4));
  pointer.setUint32(0, end, isLittleEndian);
  const directory = createDirectory(sortedEntries, next, isLittleEndian);
  const pieces = [{ from: 0, to: 4 }, bytesOf(pointer), { from: 8, to }, ...blobs, directory];
  return { pieces, tags: sortedEntries.length };
}

const roundUpToEven = (length: number) => length + (length % 2);
const directoryBytesOf = (entries: number) => 2 + 12 * entries + 4;
const bytesOf = ({ buffer, byteOffset, byteLength }: DataView) =>
  new Uint8Array(buffer, byteOffset, byteLength);

async function readDirectory(bytes: ByteWindow, isLittleEndian: boolean) {
  const offset = (await bytes.readView(4, 4, 'its head')).getUint32(0, isLittleEndian);
  const count = (await bytes.readView(offset, 2, 'a directory')).getUint16(0, isLittleEndian);
  if (count > maxEntries) {
    throw new PictureError('TOO_LARGE', `has more than ${maxEntries} entries in a directory`);
  }
  const view = await bytes.readView(offset + 2, 12 * count + 4, 'a directory');
  const copy = new DataView(bytesOf(view).slice().buffer);
  const entries = Array.from(
    { length: count },
    (_, index) => new DataView(copy.buffer, 12 * index, 12),
  );
  return { at: offset, entries, next: copy.getUint32(12 * count, isLittleEndian) };
}

/** Finds the offset of the replaced values directly before the directory, or else of the directory itself. */
function startOfValues(
  replacedEntries: readonly DataView[],
  directoryAt: number,
  isLittleEndian: boolean,
): number {
  const blobs = replacedEntries.flatMap((entry) => {
    const size = valueBytes[entry.getUint16(2, isLittleEndian)] ?? 0;
    const length = size * entry.getUint32(4, isLittleEndian);
    return length > inlineBytes ? [{ at: entry.getUint32(8, isLittleEndian), length }] : [];
  });
  let start = directoryAt;
  for (;;) {
    const blob = blobs.find(({ at, length }) => at >= 8 && at + roundUpToEven(length) === start);
    if (blob === undefined) return start;
    start = blob.at;
  }
}

function createDirectory(
  entries: readonly DataView[],
  next: number,
  isLittleEndian: boolean,
): Uint8Array {
  const directory = new DataView(new ArrayBuffer(directoryBytesOf(entries.length)));
  directory.setUint16(0, entries.length, isLittleEndian);
  for (const [index, entry] of entries.entries()) {
    bytesOf(directory).set(bytesOf(entry), 2 + 12 * index);
  }
  directory.setUint32(2 + 12 * entries.length, next, isLittleEndian);
  return bytesOf(directory);
}
