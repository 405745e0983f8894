// XMP in an AVIF: an item that describes the picture, with its data at the end of the file. Reads only the layout that
// sharp writes, because Renderline creates all AVIFs that it delivers with sharp.
import { type ByteWindow, textOf } from '../byte-window.ts';
import { PictureError } from '../picture-error.ts';
import type { MetadataPlacer } from './metadata-placer.ts';

const maxMetaBytes = 64 * 1024;
/** Start of an `iloc` box: version 0, with offsets, lengths and base offsets of four bytes. */
const locationForm = '000000004440';
/** Size of the location of an item with one extent. */
const locationBytes = 18;
const contentType = 'mime\0application/rdf+xml\0';
/** Start of an `infe` box: version 2, with the flag of hidden items. */
const hiddenItem = Buffer.from([2, 0, 0, 1]);
/** Offset of the child count in a box, by the type of the box. */
const countAt: Readonly<Record<string, number>> = { iloc: 14, iinf: 12 };

interface Box {
  type: string;
  from: number;
  to: number;
}

export const placeInAvif: MetadataPlacer = async (bytes, { xmp: packet }) => {
  const metaAt = (await bytes.readView(0, 4, 'its head')).getUint32(0);
  const length = (await bytes.readView(metaAt, 8, 'its items')).getUint32(0);
  if (length > maxMetaBytes) throw unknownLayoutError();
  const view = await bytes.readView(metaAt, length, 'its items');
  if (textOf(view).slice(4, 8) !== 'meta') throw unknownLayoutError();
  const oldMeta = Buffer.from(new Uint8Array(view.buffer, view.byteOffset, length).slice());
  const oldPacket = findPacket(oldMeta);
  // Drops the data of a packet that an earlier call has appended, with the head of its box.
  const to =
    oldPacket !== null && (await isLastBox(bytes, oldPacket)) ? oldPacket.at - 8 : bytes.size;
  const { meta, entryAt } = oldPacket === null ? addItem(oldMeta) : { meta: oldMeta, ...oldPacket };
  const head = Buffer.concat([encodeUint32(8 + packet.length), Buffer.from('mdat')]);
  meta.writeUInt32BE(to + meta.length - length + head.length, entryAt + 4);
  meta.writeUInt16BE(1, entryAt + 8);
  meta.writeUInt32BE(0, entryAt + 10);
  meta.writeUInt32BE(packet.length, entryAt + 14);
  return [{ from: 0, to: metaAt }, meta, { from: metaAt + length, to }, head, packet];
};

/** True if the packet is all of the last box of the file. */
async function isLastBox(bytes: ByteWindow, { at, length }: { at: number; length: number }) {
  if (at + length !== bytes.size) return false;
  const head = await bytes.readView(at - 8, 8, 'its data');
  return head.getUint32(0) === 8 + length && textOf(head).endsWith('mdat');
}

/** Returns the packet of the file, with the offset of its location, or null if there is none. */
function findPacket(meta: Buffer): { entryAt: number; at: number; length: number } | null {
  const { from, to } = findBox(meta, 'iinf');
  const item = readBoxes(meta, from + 14, to).find(({ from: start, to: end }) =>
    meta.toString('latin1', start + 16, end).startsWith(contentType),
  );
  if (item === undefined) return null;
  const id = meta.readUInt16BE(item.from + 12);
  const entryAt = findLocations(meta).find((offset) => meta.readUInt16BE(offset) === id);
  if (entryAt === undefined) throw unknownLayoutError();
  const offset = meta.readUInt32BE(entryAt + 4) + meta.readUInt32BE(entryAt + 10);
  return { entryAt, at: offset, length: meta.readUInt32BE(entryAt + 14) };
}

/** Adds a metadata item with an empty location, and shifts the other locations by the growth of the `meta` box. */
function addItem(meta: Buffer): { meta: Buffer; entryAt: number } {
  const id = encodeUint16(
    1 + Math.max(...findLocations(meta).map((offset) => meta.readUInt16BE(offset))),
  );
  const picture = encodeUint16(meta.readUInt16BE(findBox(meta, 'pitm').from + 12));
  const reference = createBox('cdsc', id, encodeUint16(1), picture);
  const additionByType = new Map([
    ['iloc', Buffer.concat([id, Buffer.alloc(locationBytes - 2)])],
    // The empty string at the end (content encoding) says that the data is not compressed.
    ['iinf', createBox('infe', hiddenItem, id, encodeUint16(0), Buffer.from(`${contentType}\0`))],
    ['iref', reference],
  ]);
  const boxes = readBoxes(meta, 12, meta.length);
  const hasReferences = boxes.some(({ type }) => type === 'iref');
  const children = boxes.map((box) =>
    grow(meta.subarray(box.from, box.to), additionByType.get(box.type)),
  );
  if (!hasReferences) children.push(createBox('iref', encodeUint32(0), reference));
  const grown = grow(meta.subarray(0, 12), Buffer.concat(children));
  const locations = findLocations(grown);
  const entryAt = locations.pop() ?? 0;
  for (const offset of locations) {
    grown.writeUInt32BE(grown.readUInt32BE(offset + 4) + grown.length - meta.length, offset + 4);
  }
  return { meta: grown, entryAt };
}

/** Appends a child to a box and updates the box's length and child count. Without `child`, updates only the length. */
function grow(box: Buffer, child: Buffer = Buffer.alloc(0)): Buffer {
  const grown = Buffer.concat([box, child]);
  grown.writeUInt32BE(grown.length, 0);
  const countOffset = child.length === 0 ? undefined : countAt[grown.toString('latin1', 4, 8)];
  if (countOffset !== undefined)
    grown.writeUInt16BE(grown.readUInt16BE(countOffset) + 1, countOffset);
  return grown;
}

function findLocations(meta: Buffer): number[] {
  const { from, to } = findBox(meta, 'iloc');
  const isKnown = meta.toString('hex', from + 8, from + 14) === locationForm;
  const count = (to - from - 16) / locationBytes;
  if (!isKnown || meta.readUInt16BE(from + 14) !== count) throw unknownLayoutError();
  return Array.from({ length: count }, (_, index) => from + 16 + index * locationBytes);
}

function findBox(meta: Buffer, type: string): Box {
  const box = readBoxes(meta, 12, meta.length).find((candidate) => candidate.type === type);
  if (box === undefined) throw unknownLayoutError();
  return box;
}

function readBoxes(meta: Buffer, start: number, end: number): Box[] {
  const boxes: Box[] = [];
  for (let from = start; from < end; ) {
    const length = from + 8 <= end ? meta.readUInt32BE(from) : 0;
    if (length < 14 || from + length > end) throw unknownLayoutError();
    boxes.push({ type: meta.toString('latin1', from + 4, from + 8), from, to: from + length });
    from += length;
  }
  return boxes;
}

function createBox(type: string, ...parts: readonly Buffer[]): Buffer {
  const data = Buffer.concat(parts);
  return Buffer.concat([encodeUint32(8 + data.length), Buffer.from(type), data]);
}

function encodeUint16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}

function encodeUint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function unknownLayoutError(): PictureError {
  return new PictureError('FORMAT', 'is an AVIF with a layout that Renderline does not write');
}
