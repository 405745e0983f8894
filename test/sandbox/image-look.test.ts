// What the sandbox makes of uploaded images, and of those that would keep it busy.
import sharp from 'sharp';
import { expect, it } from 'vitest';
import { lookAtImage } from '../../packages/sandbox/src/library/image-look.ts';

const plain = { channels: 3, background: 'red' } as const;
const png = (width: number, height: number) =>
  sharp({ create: { ...plain, width, height } })
    .png()
    .toBuffer();
const svg = (width: number, inner = '') =>
  Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="40">${inner}</svg>`,
  );

it.each<[string, () => Promise<Buffer> | Buffer, object]>([
  ['a PNG', () => png(30, 40), { width: 30, height: 40 }],
  ['an SVG', () => svg(30), { width: 30, height: 40 }],
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
  ['nothing', () => Buffer.alloc(0), { problem: expect.any(String) }],
  [
    'a PNG of 10,000 pixels a side in a few kilobytes',
    () => png(10_000, 10_000),
    { problem: 'Input image exceeds pixel limit' },
  ],
  [
    'an SVG that says it is 10 million pixels wide',
    () => svg(10_000_000),
    { problem: expect.stringMatching(/pixel|dimensions|width|height/) },
  ],
])('%s', async (_, make, look) => {
  expect(await lookAtImage(await make())).toEqual(look);
});
