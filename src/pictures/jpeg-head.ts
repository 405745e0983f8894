// The segments of a JPEG up to its first scan.
import { Beside } from './beside.ts';
import type { ByteWindow } from './byte-window.ts';
import type { PictureHead } from './head-reader.ts';
import { PictureError } from './picture-error.ts';

const startOfScan = 0xda;
const endOfImage = 0xd9;
/** Huffman and arithmetic tables share the numbers of the frames. */
const noFrames = new Set([0xc4, 0xc8, 0xcc]);
const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && !noFrames.has(marker);
const isAlone = (marker: number) => marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8);

export async function readJpegHead(bytes: ByteWindow): Promise<PictureHead> {
  const beside = new Beside();
  let size: { width: number; height: number } | null = null;
  for (let at = 2; ; ) {
    const head = await bytes.at(at, 2, 'a JPEG without a scan');
    if (head.getUint8(0) !== 0xff) {
      throw new PictureError('DAMAGED', 'is a JPEG with something else between its segments');
    }
    const marker = head.getUint8(1);
    if (marker === 0xff) {
      // Padding before a marker.
      beside.add(1);
      at += 1;
      continue;
    }
    if (isAlone(marker)) {
      beside.add(2);
      at += 2;
      continue;
    }
    if (marker === startOfScan || marker === endOfImage) break;
    const length = (await bytes.at(at + 2, 2, 'a segment')).getUint16(0);
    if (isFrame(marker)) {
      const frame = await bytes.at(at + 5, 4, 'its size');
      size = { width: frame.getUint16(2), height: frame.getUint16(0) };
    } else beside.add(length);
    at += 2 + length;
  }
  if (size === null) throw new PictureError('DAMAGED', 'is a JPEG without a size');
  return { format: 'jpeg', ...size };
}
