// The header of a picture is read and checked before any decoder gets the file.
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { PictureError } from '../../src/pictures/picture-error.ts';
import { defaultMaxPixels, readPictureHeaderOfBytes } from '../../src/pictures/picture-header.ts';
import {
  chunk,
  type JpegKind,
  jpeg,
  type PngKind,
  png,
  segment,
  type TiffEntry,
  tiff,
  tiffSize,
  zeroText,
} from './_pictures.ts';

const maxPixels = 4_096 * 4_096;

async function verdict(bytes: Uint8Array, pixels = maxPixels): Promise<string> {
  return readPictureHeaderOfBytes(bytes, pixels).then(
    ({ format, width, height }) => `${format} ${width} x ${height}`,
    (error: unknown) => {
      if (!(error instanceof PictureError)) throw error;
      return `${error.errorKind}: ${error.message}`;
    },
  );
}

describe('a picture from a common encoder', () => {
  const pixels = Buffer.alloc(640 * 480 * 3, 90);
  const drawn = () => sharp(pixels, { raw: { width: 640, height: 480, channels: 3 } });
  const files: [name: string, format: string, bytes: () => Promise<Buffer>][] = [
    ['PNG', 'png', () => drawn().png().toBuffer()],
    ['interlaced PNG', 'png', () => drawn().png({ progressive: true }).toBuffer()],
    ['16-bit PNG', 'png', () => drawn().toColourspace('rgb16').png().toBuffer()],
    ['PNG with a profile', 'png', () => drawn().withIccProfile('p3').png().toBuffer()],
    ['JPEG', 'jpeg', () => drawn().jpeg().toBuffer()],
    ['progressive JPEG', 'jpeg', () => drawn().jpeg({ progressive: true }).toBuffer()],
    ['JPEG with metadata', 'jpeg', () => drawn().withMetadata().jpeg().toBuffer()],
    ['TIFF', 'tiff', () => drawn().tiff().toBuffer()],
    ['16-bit TIFF', 'tiff', () => drawn().toColourspace('rgb16').tiff().toBuffer()],
    ['tiled TIFF', 'tiff', () => drawn().tiff({ tile: true }).toBuffer()],
    ['BigTIFF', 'tiff', () => drawn().tiff({ bigtiff: true }).toBuffer()],
    ['TIFF pyramid', 'tiff', () => drawn().tiff({ pyramid: true, tile: true }).toBuffer()],
  ];
  it.each(files)('the format and size of a picture are read: %s', async (_, format, bytes) => {
    expect(await verdict(await bytes())).toBe(`${format} 640 x 480`);
  });
});

describe('a hostile picture', () => {
  const texts = (count: number, text: Buffer) => Array.from({ length: count }, () => text);
  const oneOf = (tag: number, count: number) => [...tiffSize(64, 64), [tag, 7, count, 8] as const];
  const attacks: [name: string, bytes: Buffer, verdict: RegExp][] = [
    ['a PNG of 16,383 x 16,383', png(16_383, 16_383), /^TOO_LARGE: is 16383 x 16383 pixels/],
    ['a PNG of the largest possible size', png(2 ** 32 - 1, 2 ** 32 - 1), /^TOO_LARGE/],
    ['compressed texts in a PNG', png(64, 64, texts(20, zeroText('zTXt', 2e6))), /compressed text/],
    [
      'compressed international texts in a PNG',
      png(64, 64, texts(20, zeroText('iTXt', 2e6))),
      /compressed text/,
    ],
    ['a single compressed text in a PNG', png(64, 64, [zeroText('zTXt', 50e6)]), /compressed text/],
    [
      'a compressed profile in a PNG',
      png(64, 64, [chunk('iCCP', Buffer.alloc(2e6))]),
      /compressed colour profile/,
    ],
    [
      'too much plain text in a PNG',
      png(64, 64, [chunk('tEXt', Buffer.alloc(5e6))]),
      /bytes of metadata/,
    ],
    [
      'a very large number of texts in a PNG',
      png(64, 64, texts(1_001, chunk('tEXt', Buffer.alloc(2)))),
      /blocks of metadata/,
    ],
    [
      'a compressed text after the pixels of a PNG',
      withTail(png(64, 64), zeroText('zTXt', 50e6)),
      /compressed text/,
    ],
    ['a PNG without pixels', png(0, 64), /^DAMAGED: has no pixels/],
    ['a PNG without its header', withoutHead(png(64, 64)), /^DAMAGED: is a PNG whose first chunk/],
    ['a chunk longer than its file', png(64, 64).subarray(0, 50), /^DAMAGED: ends too early/],
    ['a JPEG of 65,535 x 65,535', jpeg(65_535, 65_535), /^TOO_LARGE: is 65535/],
    ['too much metadata in a JPEG', jpeg(64, 64, texts(70, segment(65_000))), /bytes of metadata/],
    ['too much padding in a JPEG', jpeg(64, 64, [Buffer.alloc(2_000, 0xff)]), /blocks of metadata/],
    ['a JPEG without a size', Buffer.from([0xff, 0xd8, 0xff, 0xd9, 0, 0, 0, 0]), /^DAMAGED/],
    ['a TIFF of 100,000 x 100,000', tiff([tiffSize(100_000, 100_000)]), /^TOO_LARGE/],
    [
      'a large second picture in a TIFF',
      tiff([tiffSize(64, 64), tiffSize(1e5, 1e5)]),
      /^TOO_LARGE/,
    ],
    [
      'a small picture in a large tile of a TIFF',
      tiff([[...tiffSize(64, 64), [322, 4, 1, 1e6], [323, 4, 1, 1e6]]]),
      /^TOO_LARGE: is 1000000 x 1000000/,
    ],
    ['a TIFF with circular directories', tiff([tiffSize(64, 64)], true), /more than 16 pictures/],
    ['a profile of 4 GB in a TIFF', tiff([oneOf(34_675, 2 ** 32 - 1)]), /bytes of metadata/],
    [
      'a TIFF directory beyond the end of its file',
      tiff([tiffSize(64, 64)]).subarray(0, 20),
      /^DAMAGED/,
    ],
    [
      'an SVG',
      Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><filter/></svg>'),
      /^FORMAT/,
    ],
    ['a GIF', Buffer.from('GIF89a\u0001\0\u0001\0\0\0\0', 'latin1'), /^FORMAT/],
    ['a WebP', Buffer.from('RIFF\u0004\0\0\0WEBPVP8 ', 'latin1'), /^FORMAT/],
    ['a PDF', Buffer.from('%PDF-1.7 of many pages'), /^FORMAT/],
    ['an empty file', Buffer.alloc(0), /^FORMAT/],
  ];
  it.each(attacks)('%s is refused', async (_, bytes, expected) => {
    expect(await verdict(bytes)).toMatch(expected);
  });

  it('a file far larger than its pixels is refused without being read', async () => {
    const bytes = Buffer.concat([png(64, 64), Buffer.alloc(17 * 1024 ** 2)]);
    expect(await verdict(bytes, 64 * 64)).toMatch(/^TOO_LARGE: has \d+ bytes/);
  });
});

describe('the memory that decoding needs', () => {
  const pngs: [name: string, kind: PngKind, bytesPerPixel: number][] = [
    ['grey, with the transparency that a chunk may add', [8, 0, 0], 2],
    ['colours', [8, 2, 0], 4],
    ['a palette', [8, 3, 0], 4],
    ['a palette of one bit', [1, 3, 0], 4],
    ['colours and transparency of 16 bits, line after line', [16, 6, 0], 4],
    ['the same interlaced, which is held as a whole', [16, 6, 1], 12],
    ['interlaced colours of 8 bits', [8, 2, 1], 8],
    ['an unknown type of colour', [16, 77, 1], 12],
  ];
  const jpegs: [name: string, kind: JpegKind, bytesPerPixel: number][] = [
    ['grey', {}, 1],
    ['colours in one scan', { channels: 3 }, 3],
    [
      'colours in several scans, whose coefficients are held',
      { channels: 3, channelsInScan: 1 },
      9,
    ],
    ['progressive colours', { channels: 3, frame: 0xc2 }, 9],
    ['colours of print', { channels: 4 }, 8],
    ['progressive colours of print', { channels: 4, frame: 0xc2 }, 16],
    ['very many channels', { channels: 80, frame: 0xc2, channelsInScan: 1 }, 320],
  ];
  const strips: TiffEntry = [278, 4, 1, 4];
  const depth = (bits: number): TiffEntry => [258, 3, 1, bits];
  const tiffs: [name: string, entries: readonly TiffEntry[], bytesPerPixel: number][] = [
    ['one bit, in one strip', [], 2],
    ['four channels of 16 bits, in one strip', [depth(16), [277, 3, 1, 4]], 12],
    ['the same in short strips', [depth(16), [277, 3, 1, 4], strips], 4],
    ['the same in tiles', [depth(16), [277, 3, 1, 4], strips, [322, 4, 1, 64]], 12],
    ['channels of 32 bits', [depth(32), [277, 3, 1, 4]], 20],
    ['sixty channels', [depth(8), [277, 3, 1, 60]], 120],
    [
      'depths elsewhere in the file, here 8',
      [
        [258, 3, 3, 4],
        [277, 3, 1, 3],
      ],
      6,
    ],
    ['colours of print in short strips', [depth(8), [262, 3, 1, 5], [277, 3, 1, 4], strips], 8],
  ];
  const all: [name: string, bytes: Buffer, bytesPerPixel: number][] = [
    ...pngs.map(([name, kind, many]) => [`PNG: ${name}`, png(64, 64, [], kind), many] as const),
    ...jpegs.map(([name, kind, many]) => [`JPEG: ${name}`, jpeg(64, 64, [], kind), many] as const),
    ...tiffs.map(([name, more, many]) => [`TIFF: ${name}`, tiff([inOrder(more)]), many] as const),
  ].map(([name, bytes, many]) => [name, bytes, many]);

  it.each(all)('the memory per pixel is known for %s', async (_name, bytes, bytesPerPixel) => {
    expect(await readPictureHeaderOfBytes(bytes, maxPixels)).toMatchObject({ bytesPerPixel });
  });

  it.each<[string, Buffer, string]>([
    ['8K, four channels, interlaced', png(7_680, 4_320, [], [8, 6, 1]), 'png 7680 x 4320'],
    ['8K, 16 bits, interlaced', png(7_680, 4_320, [], [16, 6, 1]), 'png 7680 x 4320'],
    ['8,192 a side', png(8_192, 8_192, [], [16, 6, 1]), 'TOO_LARGE: is 8192 x 8192 pixels'],
    [
      '25 megapixels of print in several scans',
      jpeg(6_000, 4_300, [], { channels: 4, frame: 0xc2 }),
      'TOO_LARGE: needs 412800000 bytes of memory to be decoded; the maximum is 402653184',
    ],
    [
      'few pixels of very many channels',
      tiff([inOrder([depth(8), [277, 3, 1, 65_535]], 64)]),
      'TOO_LARGE: needs 536862720 bytes of memory to be decoded',
    ],
  ])('the memory without a requested size is bounded: %s', async (_name, bytes, expected) => {
    expect(await verdict(bytes, defaultMaxPixels)).toContain(expected);
  });

  it('a 16-bit 4K TIFF in one strip is decoded if 4K was requested', async () => {
    const one = tiff([[...tiffSize(3_840, 2_160), depth(16), [277, 3, 1, 4]]]);
    expect(await verdict(one, 3_840 * 2_160)).toBe('tiff 3840 x 2160');
  });
});

/** Entries of a directory in the order of their tags. */
function inOrder(more: readonly TiffEntry[], side = 64): TiffEntry[] {
  return [...tiffSize(side, side), ...more].sort(([a], [b]) => a - b);
}

/** Inserts the tail before the end, where libraries put it. */
function withTail(bytes: Buffer, tail: Buffer): Buffer {
  const end = bytes.length - 12;
  return Buffer.concat([bytes.subarray(0, end), tail, bytes.subarray(end)]);
}

function withoutHead(bytes: Buffer): Buffer {
  return Buffer.concat([bytes.subarray(0, 8), bytes.subarray(8 + 25)]);
}
