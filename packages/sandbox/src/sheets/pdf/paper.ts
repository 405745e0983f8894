// Page layout and typesetting of a production file. Lengths are points, 72 per inch.
import type PDFDocument from 'pdfkit';

export type Pdf = InstanceType<typeof PDFDocument>;

/** A4 in landscape format. */
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
  readonly align?: 'left' | 'right' | 'center' | undefined;
  /** Text beyond this number of lines is cut with an ellipsis. @default 1 */
  readonly lines?: number | undefined;
}

/** The style of text in place of a missing picture. */
export const missingStyle = { size: 9, color: ink.grey, align: 'center' } as const;

/** Left, top and width of text. */
export type TextBox = readonly [x: number, y: number, width: number];

/** Characters of Windows-1252 beyond Latin-1. The built-in fonts support them too. */
const extraLetters =
  /[\u20ac\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u017d\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u017e\u0178]/;

/** Converts text for the built-in fonts: unsupported accents and control characters are dropped, others become `?`. */
export function toPrintable(text: string): string {
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

/** Sets text. @returns the y below it */
export function setText(doc: Pdf, text: string, [x, y, width]: TextBox, style: TextStyle): number {
  const { fittedText, height, options } = fitText(doc, text, width, style);
  doc.text(fittedText, x, y, { ...options, height, ellipsis: true });
  return y + height;
}

/** Returns the height that `setText` takes. */
export function measureText(doc: Pdf, text: string, width: number, style: TextStyle): number {
  return fitText(doc, text, width, style).height;
}

/** Selects the font. The text keeps its own line breaks only if all lines fit. */
function fitText(
  doc: Pdf,
  text: string,
  width: number,
  { size, bold, color, align = 'left', lines = 1 }: TextStyle,
) {
  doc
    .font(bold === true ? font.bold : font.plain)
    .fontSize(size)
    .fillColor(color ?? ink.black);
  const lineHeight = size * 1.25;
  const options = { width, align, lineGap: lineHeight - doc.currentLineHeight(true) };
  const linesOf = (value: string) =>
    Math.max(1, Math.round(doc.heightOfString(value, options) / lineHeight));
  const printableText = text
    .trimEnd()
    .split(/\r\n?|\n/)
    .map(toPrintable)
    .join('\n');
  const fittedText = linesOf(printableText) <= lines ? printableText : toPrintable(text);
  return { fittedText, options, height: Math.min(lines, linesOf(fittedText)) * lineHeight };
}
