// Text in pictures without fonts, and placeholder cards.
import { describe, expect, it } from 'vitest';
import {
  drawText,
  fitText,
  lineRows,
  textWidth,
} from '../../../src/drawing/pictures/bitmap-font.ts';
import { drawPlaceholder } from '../../../src/drawing/pictures/placeholder.ts';
import { pixelAt, shareOf } from '../_pictures.ts';

function art(text: string): string[] {
  const { ink, width, height } = drawText(text, 1);
  return Array.from({ length: height }, (_, y) =>
    Array.from({ length: width }, (__, x) => (ink[y * width + x] === 1 ? '#' : '.')).join(''),
  );
}

describe('letters', () => {
  it('look like letters', () => {
    expect(art('Ag')).toEqual([
      '.###.......',
      '#...#......',
      '#...#..####',
      '#####.#...#',
      '#...#.#...#',
      '#...#.#...#',
      '#...#..####',
      '..........#',
      '.......###.',
    ]);
  });

  it('are all different, and all have ink but the space', () => {
    const seen = new Map<string, string>();
    for (let code = 33; code < 127; code += 1) {
      const character = String.fromCodePoint(code);
      const drawn = art(character).join('\n');
      expect(drawn).toContain('#');
      expect({ character, like: seen.get(drawn) }).toEqual({ character, like: undefined });
      seen.set(drawn, character);
    }
    expect(art(' ').join('')).not.toContain('#');
  });

  it('lose their accents, not themselves', () => {
    expect(art('é')).toEqual(art('e'));
    expect(art('Å')).toEqual(art('A'));
  });

  it.each(['漢', '😀', '\n', '\u0000'])('are a box where there is none (%j)', (character) => {
    expect(art(character)[0]).toBe('#####');
    expect(art(character)[1]).toBe('#...#');
  });

  it('grow by whole cells', () => {
    const { width, height } = drawText('abc', 3);
    expect([width, height]).toEqual([17 * 3, lineRows * 3]);
    expect(textWidth('abc', 3)).toBe(51);
    expect(textWidth('', 3)).toBe(0);
  });
});

describe('fitText', () => {
  it.each([
    ['short', 100, 'short'],
    ['a-long-name-final', 12 * 6 - 1, 'a-lon..final'],
    ['a-long-name-final', 4 * 6 - 1, 'a..l'],
    ['a-long-name-final', 3 * 6 - 1, 'a-l'],
    ['a-long-name-final', 0, ''],
  ])('%s in %d pixels is %s', (text, width, expected) => {
    expect(fitText(text, 1, width)).toBe(expected);
    expect(textWidth(expected, 1)).toBeLessThanOrEqual(Math.max(0, width));
  });
});

describe('placeholders', () => {
  const card = { name: 'couch', fileType: 'fbx', width: 320, height: 180 };
  const dark = ([red]: readonly [number, number, number]) => red < 120;

  it('have text on them, and a frame', () => {
    const picture = drawPlaceholder(card);
    expect(shareOf(picture, dark)).toBeGreaterThan(0.02);
    expect(shareOf(picture, dark)).toBeLessThan(0.2);
  });

  it.each([
    ['name', { name: 'chair' }],
    ['file type', { fileType: 'usdz' }],
    ['reason', { reason: 'The model has no geometry' }],
  ])('show the %s', (_, change) => {
    expect(drawPlaceholder({ ...card, ...change }).data).not.toEqual(drawPlaceholder(card).data);
  });

  it.each([
    [1, 1],
    [20, 10],
    [64, 36],
    [192, 108],
    [108, 192],
    [1920, 1080],
  ])('are drawn at %d x %d', (width, height) => {
    const name = 'a name that is far too long for any picture, whatever its size may be'.repeat(3);
    const picture = drawPlaceholder({ ...card, name, width, height });
    expect(picture.data.length).toBe(width * height * 4);
    expect(picture.data.every((value, at) => at % 4 !== 3 || value === 255)).toBe(true);
  });

  it('are the same in 16 bits', () => {
    const [plain, deep] = [drawPlaceholder(card), drawPlaceholder({ ...card, depth: 16 })];
    expect(pixelAt(deep, 160, 40).map((value) => value / 257)).toEqual(pixelAt(plain, 160, 40));
  });
});
