// Handmade pictures that no encoder would produce.
import { crc32, deflateSync } from 'node:zlib';

export function chunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}

const pngStart = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** Format of a PNG: bits per channel, colour type, and interlacing. */
export type PngKind = readonly [bits: number, colours: number, interlaced: 0 | 1];

/** A grey PNG of this size. `more` precedes its pixels. */
export function png(
  width: number,
  height: number,
  more: readonly Buffer[] = [],
  [bits, colours, interlaced]: PngKind = [8, 0, 0],
): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([bits, colours, 0, 0, interlaced], 8);
  const pixels = deflateSync(Buffer.alloc(Math.min(height, 64) * (Math.min(width, 64) + 1)));
  return Buffer.concat([
    pngStart,
    chunk('IHDR', head),
    ...more,
    chunk('IDAT', pixels),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** A packed text chunk that unpacks to this many zeros. */
export function zeroText(type: 'zTXt' | 'iTXt', unpacked: number): Buffer {
  const packed = deflateSync(Buffer.alloc(unpacked));
  const head = type === 'zTXt' ? 'Comment\0\0' : 'Comment\0\u0001\0\0\0';
  return chunk(type, Buffer.concat([Buffer.from(head, 'latin1'), packed]));
}

export interface JpegKind {
  /** 0xc0: one scan, if the scan contains all channels. 0xc2: several scans. */
  frame?: number;
  channels?: number;
  channelsInScan?: number;
}

/** A JPEG up to its first scan. */
export function jpeg(
  width: number,
  height: number,
  more: readonly Buffer[] = [],
  { frame: marker = 0xc0, channels = 1, channelsInScan = channels }: JpegKind = {},
): Buffer {
  const each = (count: number, bytes: number[]) =>
    Buffer.from(Array.from({ length: count }, () => bytes).flat());
  const frame = Buffer.concat([
    Buffer.from([0xff, marker, 0, 8 + 3 * channels, 8, 0, 0, 0, 0, channels]),
    each(channels, [1, 0x11, 0]),
  ]);
  frame.writeUInt16BE(height, 5);
  frame.writeUInt16BE(width, 7);
  const scan = Buffer.concat([
    Buffer.from([0xff, 0xda, 0, 6 + 2 * channelsInScan, channelsInScan]),
    each(channelsInScan, [1, 0]),
    Buffer.from([0, 63, 0]),
  ]);
  return Buffer.concat([Buffer.from([0xff, 0xd8]), ...more, frame, scan]);
}

export function segment(bytes: number): Buffer {
  const data = Buffer.alloc(bytes + 4);
  data.writeUInt16BE(0xffe1, 0);
  data.writeUInt16BE(bytes + 2, 2);
  return data;
}

export type TiffEntry = readonly [tag: number, type: 3 | 4 | 7, count: number, value: number];

/** Consecutive directories. `loop` links the last one back to the first. */
export function tiff(directories: readonly (readonly TiffEntry[])[], loop = false): Buffer {
  const parts: Buffer[] = [Buffer.from([0x49, 0x49, 42, 0, 8, 0, 0, 0])];
  let at = 8;
  for (const [index, entries] of directories.entries()) {
    const part = Buffer.alloc(2 + entries.length * 12 + 4);
    part.writeUInt16LE(entries.length, 0);
    for (const [place, [tag, type, count, value]] of entries.entries()) {
      const from = 2 + place * 12;
      part.writeUInt16LE(tag, from);
      part.writeUInt16LE(type, from + 2);
      part.writeUInt32LE(count, from + 4);
      part.writeUInt32LE(value, from + 8);
    }
    at += part.length;
    const isLast = index === directories.length - 1;
    part.writeUInt32LE(isLast ? (loop ? 8 : 0) : at, part.length - 4);
    parts.push(part);
  }
  return Buffer.concat(parts);
}

export function tiffSize(width: number, height: number): TiffEntry[] {
  return [
    [256, 4, 1, width],
    [257, 4, 1, height],
  ];
}
