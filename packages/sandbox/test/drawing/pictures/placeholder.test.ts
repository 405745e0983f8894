// Placeholder cards of models that are not drawn.
import { describe, expect, it } from 'vitest';
import { drawPlaceholder } from '../../../src/drawing/pictures/placeholder.ts';
import { pixelAt, shareOf } from '../_pictures.ts';

describe('placeholders', () => {
  const card = { name: 'couch', fileType: 'fbx', width: 320, height: 180 };
  const dark = ([red]: readonly [number, number, number]) => red < 120;

  it('a placeholder is mostly light, with some dark text', async () => {
    const picture = await drawPlaceholder(card);
    expect(shareOf(picture, dark)).toBeGreaterThan(0.01);
    expect(shareOf(picture, dark)).toBeLessThan(0.2);
  });

  it.each([
    ['name', { name: 'chair' }],
    ['file type', { fileType: 'usdz' }],
    ['reason', { reason: 'The model has no geometry' }],
  ])('a placeholder depends on the %s', async (_, change) => {
    const [one, other] = [
      await drawPlaceholder({ ...card, ...change }),
      await drawPlaceholder(card),
    ];
    expect(one.data).not.toEqual(other.data);
  });

  it.each([
    [1, 1],
    [20, 10],
    [64, 36],
    [192, 108],
    [108, 192],
    [1920, 1080],
  ])('a placeholder is drawn at %d x %d', async (width, height) => {
    const name = 'a name that is far too long for any picture, whatever its size may be'.repeat(3);
    const picture = await drawPlaceholder({ ...card, name, width, height });
    expect(picture.data.length).toBe(width * height * 4);
    expect(picture.data.every((value, at) => at % 4 !== 3 || value === 255)).toBe(true);
  });

  it('a placeholder looks the same in 16 bits', async () => {
    const [plain, deep] = [
      await drawPlaceholder(card),
      await drawPlaceholder({ ...card, depth: 16 }),
    ];
    expect(pixelAt(deep, 160, 40).map((value) => value / 257)).toEqual(pixelAt(plain, 160, 40));
  });
});
