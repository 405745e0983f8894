// Typesetting of a production file: letters, lines, boxes and columns, with a fixed letter width.
import { describe, expect, test } from 'vitest';
import { isoDay } from '../../src/sheets/pdf/frame.ts';
import {
  type Pdf,
  printable,
  setText,
  type TextStyle,
  textHeight,
} from '../../src/sheets/pdf/paper.ts';
import { type Block, fillColumn } from '../../src/sheets/pdf/table.ts';

interface Written {
  readonly text: string;
  readonly x: number;
  readonly y: number;
}

/** A document with letters of 10 points width, which records what is written. */
class Paper {
  readonly written: Written[] = [];
  readonly styles: string[] = [];
  readonly doc = this as unknown as Pdf;

  font(name: string): this {
    this.styles.push(name);
    return this;
  }

  fontSize(size: number): this {
    this.styles.push(String(size));
    return this;
  }

  fillColor(color: string): this {
    this.styles.push(color);
    return this;
  }

  widthOfString(text: string): number {
    return Array.from(text).length * 10;
  }

  text(text: string, x: number, y: number): this {
    this.written.push({ text, x, y });
    return this;
  }
}

const style: TextStyle = { size: 8 };
const linesOf = (text: string, letters: number, lines: number): string[] => {
  const paper = new Paper();
  setText(paper.doc, text, { x: 0, y: 0, width: letters * 10, lines }, style);
  return paper.written.map((each) => each.text);
};

describe('letters that the built-in fonts can print', () => {
  test.each([
    ['plain', 'Home 2026/27 #1', 'Home 2026/27 #1'],
    ['western accents', 'Größe é ñ ÿ', 'Größe é ñ ÿ'],
    ['written in two parts', 'Gro\u0308\u00dfe', 'Größe'],
    ['accents beyond them fall', 'Łódź Čapek ő', '?ódz Capek o'],
    ['but these have theirs', 'Šimůnek Žižka', 'Šimunek Žižka'],
    ['marks of print', '€ “a” – — … ™ •', '€ “a” – — … ™ •'],
    ['ligatures', 'ﬁt ½', 'fit ½'],
    ['other writing', '日本 Ω', '?? ?'],
    ['a picture', 'a👍b', 'a?b'],
    ['controls', 'a\u0000b\u200bc', 'abc'],
    ['line breaks and tabs', 'a\tb\nc\u00a0d', 'a b c d'],
    ['nothing', '', ''],
  ])('%s', (_title, text, printed) => {
    expect(printable(text)).toBe(printed);
  });
});

describe('lines of ten letters', () => {
  test.each<[string, string, number, string[]]>([
    ['fits', 'ten letter', 3, ['ten letter']],
    ['breaks between words', 'one two three', 3, ['one two', 'three']],
    ['a word that is too long', 'abcdefghijklmno', 3, ['abcdefghij', 'klmno']],
    ['behind another word', 'ab abcdefghijklm', 3, ['ab', 'abcdefghij', 'klm']],
    ['its own breaks', 'one\ntwo', 3, ['one', 'two']],
    ['of Windows and old Macs', 'one\r\ntwo\rthree', 3, ['one', 'two', 'three']],
    ['an empty line', 'one\n\ntwo', 3, ['one', '', 'two']],
    ['breaks at its end', 'one\n\n\n', 3, ['one']],
    ['its own breaks give way when they do not fit', 'a\nb\nc\nd', 3, ['a b c d']],
    ['too much: an ellipsis', 'one two three four five six', 2, ['one two', 'three fou…']],
    ['room for the ellipsis', 'one two three', 1, ['one two…']],
    ['one word, one line', 'abcdefghijk', 1, ['abcdefghi…']],
    ['nothing', '', 3, ['']],
  ])('%s: %j in %d lines', (_title, text, max, lines) => {
    expect(linesOf(text, 10, max)).toEqual(lines);
  });
});

describe('places', () => {
  // Line height is a quarter more than letter height.
  test.each([
    [undefined, [100, 100]],
    ['left', [100, 100]],
    ['right', [130, 160]],
    ['center', [115, 130]],
  ] as const)('aligned %s in a box of 100', (align, xs) => {
    const paper = new Paper();
    const box = { x: 100, y: 50, width: 100, lines: 2 };
    const below = setText(paper.doc, 'abcdefg hijk', box, align ? { ...style, align } : style);
    expect(paper.written).toEqual([
      { text: 'abcdefg', x: xs[0], y: 50 },
      { text: 'hijk', x: xs[1], y: 60 },
    ]);
    expect(below).toBe(70);
    expect(textHeight(paper.doc, 'abcdefg hijk', box, style)).toBe(20);
  });

  test.each([
    [{ size: 8 }, ['Helvetica', '8', '#15181c']],
    [{ size: 9.5, bold: true }, ['Helvetica-Bold', '9.5', '#15181c']],
    [{ size: 8, color: '#d0021b' }, ['Helvetica', '8', '#d0021b']],
  ])('style %j', (given, styles) => {
    const paper = new Paper();
    setText(paper.doc, 'a', { x: 0, y: 0, width: 50, lines: 1 }, given);
    expect(paper.styles).toEqual(styles);
  });
});

describe('a column from 100 to 200', () => {
  test.each<[string, number[], number[], number]>([
    ['nothing', [], [], 0],
    ['all of it', [40, 60], [100, 140], 0],
    ['to the very end, not further', [40, 60, 1], [100, 140], 1],
    ['the rest waits, also what would fit', [40, 61, 10], [100], 2],
    ['a block higher than the column is drawn alone', [150, 10], [100], 1],
    ['also as the last', [150], [100], 0],
  ])('%s: heights %j', (_title, heights, ys, left) => {
    const drawn: number[] = [];
    const blocks: Block[] = heights.map((height) => ({
      height,
      draw: (x, y) => void drawn.push(y + x),
    }));
    const rest = fillColumn(blocks, { x: 0, top: 100, bottom: 200 });
    expect(drawn).toEqual(ys);
    expect(rest).toEqual(blocks.slice(blocks.length - left));
  });

  test('columns one after another draw every block once, in order', () => {
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
  expect(isoDay(time)).toBe(day);
});
