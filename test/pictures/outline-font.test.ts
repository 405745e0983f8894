// Text in pictures: widths, shortened names, outlines for any text.
import { beforeAll, expect, it } from 'vitest';
import { OutlineFont } from '../../src/pictures/outline-font.ts';

let font: OutlineFont;
beforeAll(async () => {
  font = await OutlineFont.load();
});

it('a line is as wide as its letters, in proportion to its size', () => {
  expect(font.widthOf('', 20)).toBe(0);
  expect(font.widthOf('WW', 20)).toBeGreaterThan(2 * font.widthOf('ii', 20));
  expect(font.widthOf('chair', 40)).toBeCloseTo(2 * font.widthOf('chair', 20));
});

it.each([
  ['short', 1_000, 'short'],
  ['a-long-name-final', 100, 'a-lon…final'],
  ['a-long-name-final', 12, ''],
  ['a-long-name-final', 0, ''],
])('the text %s is fitted into %d pixels: %s', (text, width, expected) => {
  const fitted = font.fit(text, 17, width);
  expect(fitted).toBe(expected);
  expect(font.widthOf(fitted, 17)).toBeLessThanOrEqual(width);
});

it.each(['Größe', 'Шкаф', 'đường', 'مرحبا', '椅子', '👩‍💻', 'a\u0000b', '<&"'])(
  'the text %j is drawn, with boxes for characters that the font lacks',
  (text) => {
    const svg = font.toSvg({ text, size: 17, color: '#000', left: 10, baseline: 20 });
    expect(svg).toMatch(/^<g fill="#000"[^>]*>(?:<path transform="[^"]*" d="[^"<&]*"\/>)+<\/g>$/);
    expect(svg).toMatch(/d="M[^"]{20}/);
    expect(svg).not.toContain('NaN');
  },
);
