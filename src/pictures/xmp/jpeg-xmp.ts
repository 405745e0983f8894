// XMP in a JPEG: a segment APP1 behind those that must come first, JFIF and Exif.
import { type ByteWindow, textOf } from '../byte-window.ts';
import { isAlone } from '../jpeg-header.ts';
import { PictureError } from '../picture-error.ts';
import { type Piece, withoutEmpty, type XmpPlacer } from './xmp-placer.ts';

const namespace = 'http://ns.adobe.com/xap/1.0/\0';
/** Further segments of a packet that is too long for one. */
const extension = 'http://ns.adobe.com/xmp/extension/\0';
const [app0, app1, startOfScan] = [0xe0, 0xe1, 0xda];

export const placeInJpeg: XmpPlacer = async (bytes, packet) => {
  const kept: { from: number; to: number }[] = [];
  let firstEnd = 2;
  let at = 2;
  for (;;) {
    const { marker, end } = await readSegment(bytes, at);
    if (marker === startOfScan) break;
    if (!(await isXmp(bytes, at, marker, end))) {
      kept.push({ from: at, to: end });
      const isFirst = (marker === app0 || marker === app1) && firstEnd === at;
      if (isFirst) firstEnd = end;
    } else if (firstEnd === at) firstEnd = end;
    at = end;
  }
  const before = kept.filter(({ from }) => from < firstEnd);
  const after = kept.filter(({ from }) => from >= firstEnd);
  const pieces: Piece[] = [
    { from: 0, to: 2 },
    ...before,
    createSegment(packet),
    ...after,
    { from: at, to: bytes.size },
  ];
  return withoutEmpty(pieces);
};

async function readSegment(
  bytes: ByteWindow,
  at: number,
): Promise<{ marker: number; end: number }> {
  const head = await bytes.readView(at, 4, 'a JPEG without a scan');
  const marker = head.getUint8(1);
  if (head.getUint8(0) !== 0xff) {
    throw new PictureError('DAMAGED', 'is a JPEG with something else between its segments');
  }
  // Padding before a marker belongs to the segment before.
  if (marker === 0xff) return { marker, end: at + 1 };
  return { marker, end: at + 2 + (isAlone(marker) ? 0 : head.getUint16(2)) };
}

async function isXmp(bytes: ByteWindow, at: number, marker: number, end: number) {
  if (marker !== app1) return false;
  const length = Math.min(extension.length, end - at - 4);
  const start = textOf(await bytes.readView(at + 4, length, 'a segment'));
  return start.startsWith(namespace) || start.startsWith(extension);
}

function createSegment(packet: Uint8Array): Buffer {
  const head = Buffer.alloc(4 + namespace.length);
  head.writeUInt16BE(0xff00 + app1, 0);
  head.writeUInt16BE(2 + namespace.length + packet.length, 2);
  head.write(namespace, 4, 'latin1');
  return Buffer.concat([head, packet]);
}
