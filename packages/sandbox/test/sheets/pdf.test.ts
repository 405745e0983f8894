// Typesetting of a production file: letters, lines, boxes and columns, in the built-in fonts.
import { once } from 'node:events';
import PDFDocument from 'pdfkit';
import { describe, expect, test } from 'vitest';
import { formatIsoDay } from '../../src/sheets/pdf/frame.ts';
import { measureText, setText, toPrintable } from '../../src/sheets/pdf/paper.ts';
import { type Block, fillColumn } from '../../src/sheets/pdf/table.ts';
import { readPdfPages } from '../_production.ts';

describe('letters that the built-in fonts can print', () => {
  test.each([
    ['plain text', 'Home 2026/27 #1', 'Home 2026/27 #1'],
    ['western accents', 'Größe é ñ ÿ', 'Größe é ñ ÿ'],
    ['combining accents', 'Gro\u0308\u00dfe', 'Größe'],
    ['other accents, which are dropped', 'Łódź Čapek ő', '?ódz Capek o'],
    ['other accents that the fonts have', 'Šimůnek Žižka', 'Šimunek Žižka'],
    ['typographic marks', '€ “a” – — … ™ •', '€ “a” – — … ™ •'],
    ['ligatures', 'ﬁt ½', 'fit ½'],
    ['other scripts', '日本 Ω', '?? ?'],
    ['an emoji', 'a👍b', 'a?b'],
    ['control characters', 'a\u0000b\u200bc', 'abc'],
    ['line breaks and tabs', 'a\tb\nc\u00a0d', 'a b c d'],
    ['an empty string', '', ''],
  ])('printable() keeps or replaces %s', (_title, text, printed) => {
    expect(toPrintable(text)).toBe(printed);
  });
});

describe('text in a box of 50 points', () => {
  const doc = new PDFDocument({ margin: 0 });

  // Lines are a quarter higher than letters.
  test.each([
    ['short text', 'one two', 1],
    ['text that breaks between words', 'one two three four', 2],
    ['a word that is too long', 'abcdefghijklmnopqrst', 2],
    ['line breaks', 'a\nb\r\nc\rd', 4],
    ['an empty line', 'a\n\nb', 3],
    ['line breaks at the end', 'a\n\n\n', 1],
    ['line breaks that do not fit, which are dropped', 'a\nb\nc\nd\ne', 1],
    ['text that is too long', 'one two three four five six seven eight nine ten eleven', 4],
    ['an empty string', '', 1],
  ])('%s: %j takes %d of four lines', (_title, text, lines) => {
    expect(measureText(doc, text, 50, { size: 8, lines: 4 })).toBeCloseTo(lines * 10);
    expect(setText(doc, text, [0, 20, 50], { size: 8, lines: 4 })).toBeCloseTo(20 + lines * 10);
  });

  test('text that is too long ends with an ellipsis', async () => {
    const cut = new PDFDocument({ margin: 0 });
    const chunks: Buffer[] = [];
    cut.on('data', (chunk: Buffer) => chunks.push(chunk));
    setText(cut, 'one two three four', [0, 0, 50], { size: 8 });
    setText(cut, 'abcdefghijklmnopqrst', [0, 50, 50], { size: 8 });
    cut.end();
    await once(cut, 'end');
    const [text = ''] = await readPdfPages(new Uint8Array(Buffer.concat(chunks)));
    expect(text.split(/\s*…\s*/)).toEqual([
      expect.stringMatching(/^one two/),
      expect.stringMatching(/^abcdefgh/),
      '',
    ]);
  });
});

describe('a column of 100 points', () => {
  test.each<[string, number[], number[], number]>([
    ['no blocks', [], [], 0],
    ['blocks that fit', [40, 60], [100, 140], 0],
    ['a block beyond the end', [40, 60, 1], [100, 140], 1],
    ['a block that does not fit, and all blocks after it', [40, 61, 10], [100], 2],
    ['a block higher than the column, which is drawn alone', [150, 10], [100], 1],
    ['a last block taller than the column', [150], [100], 0],
  ])('a column draws in order: %s, with the heights %j', (_title, heights, ys, left) => {
    const drawn: number[] = [];
    const blocks: Block[] = heights.map((height) => ({
      height,
      draw: (x, y) => void drawn.push(y + x),
    }));
    const rest = fillColumn(blocks, { x: 0, top: 100, bottom: 200 });
    expect(drawn).toEqual(ys);
    expect(rest).toEqual(blocks.slice(blocks.length - left));
  });

  test('the columns together draw each block once and in order', () => {
    const drawn: number[] = [];
    let rest: readonly Block[] = [30, 80, 20, 500, 10, 10, 90].map((height, index) => ({
      height,
      draw: () => void drawn.push(index),
    }));
    let columns = 0;
    for (; rest.length > 0 && columns < 20; columns += 1) {
      rest = fillColumn(rest, { x: 0, top: 100, bottom: 200 });
    }
    expect([drawn, columns]).toEqual([[0, 1, 2, 3, 4, 5, 6], 5]);
  });
});

test.each([
  [0, '1970-01-01'],
  [Date.UTC(2026, 0, 1) - 1, '2025-12-31'],
  [Date.UTC(2026, 0, 1), '2026-01-01'],
])('the day of %d is %s in UTC', (time, day) => {
  expect(formatIsoDay(time)).toBe(day);
});
