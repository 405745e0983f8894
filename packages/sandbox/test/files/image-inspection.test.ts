// Inspection of uploaded images, including those that would take too long.
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { maxPixels } from '../../../../src/sandbox/bounds.ts';
import { png as pngWith, zeroText } from '../../../../test/pictures/_pictures.ts';
import { decodeTexture } from '../../src/drawing/materials/texture.ts';
import { inspectImage } from '../../src/files/image-inspection.ts';
import { parseSvgSize } from '../../src/files/svg-size.ts';

const plain = { channels: 3, background: 'red' } as const;
const png = (width: number, height: number) =>
  sharp({ create: { ...plain, width, height } })
    .png()
    .toBuffer();
const svg = (inner = '') =>
  Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="30" height="40">${inner}</svg>`);

it.each<[string, () => Promise<Buffer> | Buffer, object]>([
  ['a PNG', () => png(30, 40), { width: 30, height: 40 }],
  [
    'half a PNG',
    async () => (await png(300, 400)).subarray(0, 400),
    { problem: expect.any(String) },
  ],
  [
    'half a JPEG',
    async () => {
      const noise = { ...plain, width: 300, height: 300, noise: { type: 'gaussian', sigma: 30 } };
      const whole = await sharp({ create: noise as never })
        .jpeg()
        .toBuffer();
      return whole.subarray(0, whole.length / 2);
    },
    { problem: expect.any(String) },
  ],
  ['an empty file', () => Buffer.alloc(0), { problem: expect.any(String) }],
  [
    'a PNG of 10,000 pixels a side in a few kilobytes',
    () => png(10_000, 10_000),
    { problem: 'the file is 10000 x 10000 pixels; the maximum is 67108864 in total' },
  ],
  [
    'a PNG with text that unpacks to 50 MB',
    () => pngWith(64, 64, [zeroText('zTXt', 50e6)]),
    { problem: expect.stringMatching(/text/) },
  ],
  ['a drawing (SVG)', () => svg(), { problem: 'the file is not a PNG, JPEG or TIFF' }],
  [
    'a document (PDF)',
    () => Buffer.from('%PDF-1.7\n'),
    { problem: expect.stringMatching(/is no/) },
  ],
])('inspectImage reads the size, or reports the problem, of %s', async (_, make, look) => {
  expect(await inspectImage(await make())).toEqual(look);
});

describe('a texture of a model', () => {
  it.each<[string, () => Promise<Buffer> | Buffer, boolean]>([
    ['PNG', () => png(30, 40), true],
    ['a drawing (SVG)', () => svg(), false],
    [
      'a PNG with text that unpacks to 50 MB',
      () => pngWith(64, 64, [zeroText('zTXt', 50e6)]),
      false,
    ],
  ])('decodeTexture() decodes or refuses %s', async (_, make, isDrawn) => {
    expect((await decodeTexture(await make(), 16)) !== null).toBe(isDrawn);
  });
});

describe('an SVG', () => {
  const ofSize = (attributes: string) => `<svg xmlns="http://www.w3.org/2000/svg" ${attributes}>`;
  const beyond = { problem: expect.stringMatching(/pixel limit|no valid size/) };
  it.each([
    [ofSize('width="120" height="80"'), { width: 120, height: 80 }],
    [ofSize("width = '120px' height='80.4'"), { width: 120, height: 80 }],
    [ofSize('width="1in" height="2.54cm"'), { width: 72, height: 72 }],
    [ofSize('viewBox="0 0 64 48"'), { width: 64, height: 48 }],
    [ofSize('width="100%" height="100%" viewBox="0,0,64,48"'), { width: 64, height: 48 }],
    [
      `<?xml version="1.0"?><!-- a > b -->\n${ofSize('width="1" height="2"')}`,
      { width: 1, height: 2 },
    ],
    [ofSize('stroke-width="9" width="1" height="2"'), { width: 1, height: 2 }],
    [ofSize('width="10000000" height="40"'), beyond],
    [ofSize('width="9999999999" height="40"'), beyond],
    [ofSize('width="-3" height="40"'), beyond],
    [ofSize('width="0" height="40"'), beyond],
    [ofSize(''), beyond],
    ['<svgs width="1" height="2">', { problem: 'the file is not an SVG' }],
    [`<svg ${'a'.repeat(70_000)}`, { problem: 'the file is not an SVG' }],
    ['', { problem: 'the file is not an SVG' }],
  ])('parseSvgSize() returns the size in pixels, or a problem: %.60s', (text, look) => {
    expect(parseSvgSize(Buffer.from(text), maxPixels)).toEqual(look);
  });

  it('an SVG can be encoded in UTF-16', () => {
    const text = Buffer.from(`\uFEFF${ofSize('width="3" height="4"')}`, 'utf16le');
    expect(parseSvgSize(text, maxPixels)).toEqual({ width: 3, height: 4 });
  });
});
