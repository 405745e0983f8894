// XMP in a TIFF: tag 700 of the first directory. The packet and the directory are written anew at the end of the file, since
// the old directory has no room. A packet that was written in this way is replaced, so that files do not grow.
import type { ByteWindow } from '../byte-window.ts';
import { PictureError } from '../picture-error.ts';
import { type Piece, withoutEmpty, type XmpPlacer } from './xmp-placer.ts';

const xmpTag = 700;
const byteType = 1;
const maxEntries = 1_000;
const maxOffset = 2 ** 32 - 1;

export const placeInTiff: XmpPlacer = async (bytes, packet) => {
  const little = (await bytes.readView(0, 8, 'its head')).getUint8(0) === 0x49;
  const { entries, next } = await readDirectory(bytes, little);
  const others = entries.filter((entry) => entry.getUint16(0, little) !== xmpTag);
  const own = entries.find((entry) => entry.getUint16(0, little) === xmpTag);
  const to = (own && (await endBeforePacket(bytes, own, entries.length, little))) ?? bytes.size;
  const packetAt = even(to);
  const directoryAt = packetAt + even(packet.length);
  if (directoryAt + 12 * entries.length > maxOffset - packet.length) {
    throw new PictureError('TOO_LARGE', 'is a TIFF of four gigabytes, which has no place for more');
  }
  const entry = new DataView(new ArrayBuffer(12));
  entry.setUint16(0, xmpTag, little);
  entry.setUint16(2, byteType, little);
  entry.setUint32(4, packet.length, little);
  entry.setUint32(8, packetAt, little);
  const sorted = [...others, entry].sort(
    (one, other) => one.getUint16(0, little) - other.getUint16(0, little),
  );
  const pointer = new DataView(new ArrayBuffer(4));
  pointer.setUint32(0, directoryAt, little);
  const pieces: Piece[] = [
    { from: 0, to: 4 },
    bytesOf(pointer),
    { from: 8, to },
    new Uint8Array(packetAt - to),
    packet,
    new Uint8Array(even(packet.length) - packet.length),
    createDirectory(sorted, next, little),
  ];
  return withoutEmpty(pieces);
};

const even = (length: number) => length + (length % 2);
const bytesOf = ({ buffer, byteOffset, byteLength }: DataView) =>
  new Uint8Array(buffer, byteOffset, byteLength);

async function readDirectory(bytes: ByteWindow, little: boolean) {
  const at = (await bytes.readView(4, 4, 'its head')).getUint32(0, little);
  const count = (await bytes.readView(at, 2, 'a directory')).getUint16(0, little);
  if (count > maxEntries) {
    throw new PictureError('TOO_LARGE', `has more than ${maxEntries} entries in a directory`);
  }
  const view = await bytes.readView(at + 2, 12 * count + 4, 'a directory');
  const copy = new DataView(bytesOf(view).slice().buffer);
  const entries = Array.from(
    { length: count },
    (_, index) => new DataView(copy.buffer, 12 * index, 12),
  );
  return { entries, next: copy.getUint32(12 * count, little) };
}

/** Offset of the packet if only the directory follows it up to the end of the file; null otherwise. */
async function endBeforePacket(
  bytes: ByteWindow,
  entry: DataView,
  entries: number,
  little: boolean,
): Promise<number | null> {
  const directoryAt = (await bytes.readView(4, 4, 'its head')).getUint32(0, little);
  const [length, at] = [entry.getUint32(4, little), entry.getUint32(8, little)];
  const isBefore = at + even(length) === directoryAt;
  return isBefore && directoryAt + 2 + 12 * entries + 4 === bytes.size ? at : null;
}

function createDirectory(entries: readonly DataView[], next: number, little: boolean): Uint8Array {
  const directory = new DataView(new ArrayBuffer(2 + 12 * entries.length + 4));
  directory.setUint16(0, entries.length, little);
  for (const [index, entry] of entries.entries()) {
    bytesOf(directory).set(bytesOf(entry), 2 + 12 * index);
  }
  directory.setUint32(2 + 12 * entries.length, next, little);
  return bytesOf(directory);
}
