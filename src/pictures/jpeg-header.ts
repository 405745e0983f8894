// Reads the segments of a JPEG before its first scan.

import type { ByteWindow } from './byte-window.ts';
import type { PictureHeader } from './header-reader.ts';
import { MetadataBudget } from './metadata-budget.ts';
import { PictureError } from './picture-error.ts';

const startOfScan = 0xda;
const endOfImage = 0xd9;
/** Markers in the number range of frames that are not frames, such as Huffman and arithmetic tables. */
const noFrames = new Set([0xc4, 0xc8, 0xcc]);
const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && !noFrames.has(marker);
const progressive = new Set([0xc2, 0xc6, 0xca, 0xce]);
/** Markers without a segment. */
const isStandaloneMarker = (marker: number) =>
  marker === 0x01 || (marker >= 0xd0 && marker <= endOfImage);

export async function readJpegHeader(bytes: ByteWindow): Promise<PictureHeader> {
  const metadata = new MetadataBudget();
  let frame: { width: number; height: number; channels: number } | null = null;
  let isHeld = false;
  for (let offset = 2; ; ) {
    const { marker, end } = await readJpegSegment(bytes, offset);
    if (marker === endOfImage) break;
    if (marker === startOfScan) {
      const inScan = (await bytes.readView(offset + 4, 1, 'a scan')).getUint8(0);
      isHeld ||= inScan < (frame?.channels ?? 0);
      break;
    }
    if (isFrame(marker)) {
      const size = await bytes.readView(offset + 5, 5, 'its size');
      frame = { width: size.getUint16(2), height: size.getUint16(0), channels: size.getUint8(4) };
      isHeld = progressive.has(marker);
    } else metadata.add(end - offset);
    offset = end;
  }
  if (frame === null) throw new PictureError('DAMAGED', 'is a JPEG without a frame header');
  const { width, height, channels } = frame;
  return { format: 'jpeg', width, height, bytesPerPixel: countBytesPerPixel(channels, isHeld) };
}

/** Reads the head of a segment. A padding byte before a marker counts as a segment of its own, with the marker 0xff. */
export async function readJpegSegment(bytes: ByteWindow, offset: number) {
  const head = await bytes.readView(offset, 2, 'its list of segments');
  const marker = head.getUint8(1);
  if (head.getUint8(0) !== 0xff) {
    throw new PictureError('DAMAGED', 'is a JPEG with unexpected data between its segments');
  }
  if (marker === 0xff) return { marker, end: offset + 1 };
  if (isStandaloneMarker(marker)) return { marker, end: offset + 2 };
  const length = (await bytes.readView(offset + 2, 2, 'a segment')).getUint16(0);
  return { marker, end: offset + 2 + length };
}

/**
 * For a picture with several scans, such as a progressive one, decoders keep all coefficients, two bytes each. Four
 * channels are print colours, which count double because decoders take longest to convert them.
 */
function countBytesPerPixel(channels: number, isHeld: boolean): number {
  return (isHeld ? 2 * channels : 0) + (channels > 3 ? 2 * channels : channels);
}
