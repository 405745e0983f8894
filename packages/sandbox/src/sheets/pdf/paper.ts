// Page layout and typesetting of a production file. Lengths are points, 72 per inch.
import type PDFDocument from 'pdfkit';

export type Pdf = InstanceType<typeof PDFDocument>;

/** A4 landscape. */
export const paper = { width: 841.89, height: 595.28, margin: 30 } as const;
export const content = {
  left: paper.margin,
  right: paper.width - paper.margin,
  width: paper.width - 2 * paper.margin,
  top: 96,
  bottom: paper.height - 46,
} as const;

export const ink = {
  black: '#15181c',
  grey: '#5d646d',
  rule: '#c9ced4',
  tile: '#eef0f2',
  marker: '#d0021b',
  amber: '#fff3d6',
  amberRule: '#e0a100',
} as const;

export const font = { plain: 'Helvetica', bold: 'Helvetica-Bold' } as const;

export interface TextStyle {
  readonly size: number;
  readonly bold?: boolean;
  readonly color?: string;
  readonly align?: 'left' | 'right' | 'center';
}

export interface TextBox {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  /** Text beyond this number of lines is cut with an ellipsis. */
  readonly lines: number;
}

/** Characters of Windows-1252 beyond Latin-1; the built-in fonts support them too. */
const extraLetters =
  /[\u20ac\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u017d\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u017e\u0178]/;

/** The text in the built-in fonts: unsupported accents and control characters are dropped, others become `?`. */
export function printable(text: string): string {
  return Array.from(text.normalize('NFC').replace(/\s/g, ' '), (letter) => {
    if (isPrintable(letter)) return letter;
    const base = letter.normalize('NFKD').replace(/\p{M}/gu, '');
    if (base !== '' && Array.from(base).every(isPrintable)) return base;
    return /\p{C}|\p{M}/u.test(letter) ? '' : '?';
  }).join('');
}

function isPrintable(letter: string): boolean {
  const code = letter.codePointAt(0) ?? 0;
  return (
    (code >= 0x20 && code < 0x7f) || (code >= 0xa0 && code <= 0xff) || extraLetters.test(letter)
  );
}

/** Sets text inside a box. @returns the y below it */
export function setText(doc: Pdf, text: string, box: TextBox, style: TextStyle): number {
  select(doc, style);
  const lines = brokenLines(doc, text, box.width, box.lines);
  const step = lineHeight(style);
  lines.forEach((line, index) => {
    const free = box.width - doc.widthOfString(line);
    const shift = style.align === 'right' ? free : style.align === 'center' ? free / 2 : 0;
    doc.text(line, box.x + shift, box.y + index * step, { lineBreak: false });
  });
  return box.y + lines.length * step;
}

/** The height that `setText` takes. */
export function textHeight(
  doc: Pdf,
  text: string,
  box: Omit<TextBox, 'x' | 'y'>,
  style: TextStyle,
) {
  select(doc, style);
  return brokenLines(doc, text, box.width, box.lines).length * lineHeight(style);
}

function select(doc: Pdf, { size, bold, color }: TextStyle): void {
  doc
    .font(bold === true ? font.bold : font.plain)
    .fontSize(size)
    .fillColor(color ?? ink.black);
}

function lineHeight({ size }: TextStyle): number {
  return size * 1.25;
}

/** Wraps the text. Its own line breaks are kept only if all lines fit into the box. */
function brokenLines(doc: Pdf, text: string, width: number, max: number): string[] {
  const paragraphs = text.trimEnd().split(/\r\n?|\n/);
  const own = paragraphs.flatMap((each) => wrappedLines(doc, printable(each), width));
  if (own.length <= max) return own;
  const lines = wrappedLines(doc, printable(text), width);
  if (lines.length <= max) return lines;
  const kept = lines.slice(0, max);
  let last = kept.pop() ?? '';
  while (last !== '' && doc.widthOfString(`${last}…`) > width) last = last.slice(0, -1);
  return [...kept, `${last}…`];
}

function wrappedLines(doc: Pdf, text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ').flatMap((each) => wordPieces(doc, each, width))) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (doc.widthOfString(longer) <= width) line = longer;
    else {
      lines.push(line);
      line = word;
    }
  }
  return [...lines, line];
}

/** Splits a word that is too long for a line. */
function wordPieces(doc: Pdf, word: string, width: number): string[] {
  if (doc.widthOfString(word) <= width) return [word];
  const pieces: string[] = [];
  let piece = '';
  for (const letter of word) {
    if (piece !== '' && doc.widthOfString(piece + letter) > width) {
      pieces.push(piece);
      piece = '';
    }
    piece += letter;
  }
  return [...pieces, piece];
}
