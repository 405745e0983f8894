// Fuzzes pictures. Each has a header within the limits or is refused with a specific error, and only a little of it is
// read.
import fc from 'fast-check';
import { PictureError } from '../../src/pictures/picture-error.ts';
import { readPictureHeaderOfBytes } from '../../src/pictures/picture-header.ts';
import { assertAtMost } from './arbitraries.ts';

const maxPixels = 4_096 * 4_096;

const number32 = fc
  .oneof(fc.constantFrom(0, 1, 13, 16_383, 65_536, 2 ** 31 - 1, 2 ** 32 - 1), fc.nat(40))
  .map((value) => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(value);
    return bytes;
  });
const mark = fc.constantFrom(
  Buffer.from('89504e470d0a1a0a', 'hex'),
  Buffer.from('0000000d49484452', 'hex'),
  Buffer.from('IDAT'),
  Buffer.from('IEND'),
  Buffer.from('zTXt'),
  Buffer.from('iTXtk\0\u0001'),
  Buffer.from('iCCP'),
  Buffer.from('tEXt'),
  Buffer.from('ffd8ff', 'hex'),
  Buffer.from('ffc00011080010001003', 'hex'),
  Buffer.from('ffda', 'hex'),
  Buffer.from('ffe2ffff', 'hex'),
  Buffer.from('ffd9', 'hex'),
  Buffer.from('49492a00', 'hex'),
  Buffer.from('4d4d002b', 'hex'),
  Buffer.from('0001000300000001', 'hex'),
  Buffer.from('0101000400000001', 'hex'),
);
const starts = [
  Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'),
  Buffer.from('ffd8ffe000104a464946000101', 'hex'),
  Buffer.from('49492a0008000000', 'hex'),
  Buffer.from('4d4d002b000800000000000000000010', 'hex'),
  Buffer.alloc(0),
];
const piece = fc
  .tuple(
    fc.oneof(mark, number32, fc.uint8Array({ maxLength: 12 })),
    fc.constantFrom(1, 1, 1, 3, 2_000),
  )
  .map(([bytes, times]) => Buffer.concat(Array.from({ length: times }, () => bytes)));
const picture = fc
  .tuple(fc.constantFrom(...starts), fc.array(piece, { maxLength: 40 }))
  .map(([start, pieces]) => Buffer.concat([start, ...pieces]));

async function holds(bytes: Buffer): Promise<void> {
  let reads = 0;
  const bytesProxy = new Proxy(bytes, {
    get(target, name) {
      if (name === 'subarray') reads += 1;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  try {
    const { width, height } = await readPictureHeaderOfBytes(bytesProxy, maxPixels);
    assertAtMost(width * height, maxPixels, 'pixels');
  } catch (error) {
    if (!(error instanceof PictureError)) throw error;
  }
  assertAtMost(reads, 50 + bytes.length / 256, 'reads of a picture');
}

export const pictures = fc.asyncProperty(picture, holds);
