// Texture sampling: between pixels, beyond the edges, and from far away.
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import {
  decodeTexture,
  sampleTexture,
  type TextureLevels,
} from '../../../src/drawing/materials/texture.ts';
import type { SceneTexture } from '../../../src/scene/scene.ts';
import { stripesPng } from '../../_author.ts';

const plain: SceneTexture = {
  id: 0,
  image: new Uint8Array(0),
  texCoord: 0,
  transform: null,
  wrapU: 'repeat',
  wrapV: 'repeat',
};
// One row: a black pixel, then a white one.
const levels: TextureLevels = [
  { width: 2, height: 1, data: Uint8Array.from([0, 0, 0, 255, 255, 255, 255, 255]) },
];

function sample(
  use: Partial<SceneTexture>,
  u: number,
  v = 0.5,
  color = false,
  footprint = 0,
): number {
  const out = new Float64Array(4);
  sampleTexture({ levels, use: { ...plain, ...use } }, u, v, footprint, color, out);
  return Math.round((out[0] ?? -1) * 1000) / 1000;
}

describe('a sample between pixels', () => {
  it.each([
    [0.25, 0],
    [0.5, 0.5],
    [0.75, 1],
    [0.625, 0.75],
  ])('the sampled value at %d is %d', (u, value) => {
    expect(sample({}, u)).toBe(value);
  });

  it('a colour is read as linear light, not as its byte value', async () => {
    const grey = await decodeTexture(await stripesPng([[188, 188, 188]]), 16);
    const out = new Float64Array(4);
    sampleTexture({ levels: grey ?? [], use: plain }, 0.5, 0.5, 0, true, out);
    expect(out[0]).toBeCloseTo(0.5, 1);
    expect(out[3]).toBe(1);
  });
});

describe('a sample beyond the edges', () => {
  it.each([
    ['repeat', 1.25, 0],
    ['repeat', -0.25, 1],
    ['repeat', 1000.75, 1],
    ['clamp', 1.25, 1],
    ['clamp', -7, 0],
    ['mirror', 1.25, 1],
    ['mirror', 1.75, 0],
    ['mirror', 2.25, 0],
    ['mirror', -0.25, 0],
  ] as const)('the wrap mode %s at %d returns %d', (wrapU, u, value) => {
    expect(sample({ wrapU }, u)).toBe(value);
  });
});

describe('transforms', () => {
  it.each([
    ['an offset', [1, 0, 0, 1, 0.5, 0], 0.25, 1],
    ['a scale', [2, 0, 0, 1, 0, 0], 0.375, 1],
    ['a swap of u and v', [0, 1, 1, 0, 0, 0], 0.5, 1],
  ] as const)('a texture transform applies %s', (_, transform, u, value) => {
    expect(sample({ transform }, u, 0.75)).toBe(value);
  });
});

describe('decoding', () => {
  it('decoding creates levels, each half the size of the one before, down to one pixel', async () => {
    const made =
      (await decodeTexture(
        await stripesPng([
          [0, 0, 0],
          [255, 255, 255],
        ]),
        1024,
      )) ?? [];
    expect(made.map(({ width, height }) => [width, height])).toEqual([
      [32, 32],
      [16, 16],
      [8, 8],
      [4, 4],
      [2, 2],
      [1, 1],
    ]);
    expect(made.at(-1)?.data[0]).toBeGreaterThan(120);
    expect(made.at(-1)?.data[0]).toBeLessThan(135);
  });

  it('the chosen level fits the footprint of a sample', async () => {
    const made =
      (await decodeTexture(
        await stripesPng([
          [0, 0, 0],
          [255, 255, 255],
        ]),
        1024,
      )) ?? [];
    const out = new Float64Array(4);
    sampleTexture({ levels: made, use: plain }, 0.75, 0.5, 1 / 32, false, out);
    expect(out[0]).toBe(1);
    sampleTexture({ levels: made, use: plain }, 0.75, 0.5, 1, false, out);
    expect(out[0]).toBeCloseTo(0.5, 1);
  });

  it('decoding limits the size of an image', async () => {
    const big = await sharp({
      create: { width: 300, height: 100, channels: 3, background: '#fff' },
    })
      .png()
      .toBuffer();
    const [first] = (await decodeTexture(big, 64)) ?? [];
    expect(first?.width).toBe(64);
  });

  it.each([
    ['an empty file', Buffer.alloc(0)],
    ['text', Buffer.from('not a picture')],
  ])('decoding returns null for %s', async (_, bytes) => {
    expect(await decodeTexture(bytes, 64)).toBeNull();
  });

  it('decoding returns null for an image that would unpack to gigabytes', async () => {
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="30000" height="30000"/>';
    expect(await decodeTexture(Buffer.from(svg), 64)).toBeNull();
  });
});
