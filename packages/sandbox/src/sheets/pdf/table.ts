// The column of zones and logos next to the views. It continues on further pages.
import type { SheetLogo, SheetVariant, SheetZone } from '../../state/production-records.ts';
import { formatInk, formatLogoSize, formatSlotView, noPantone } from '../sheet-format.ts';
import { ink, measureText, type Pdf, setText, type TextStyle } from './paper.ts';

/** A piece of the column that is never split. */
export interface Block {
  readonly height: number;
  readonly draw: (x: number, y: number) => void;
}

const gap = 5;
const swatch = { width: 26, height: 18 };

/** Creates headings, zones and logos of a variant as blocks with this width. */
export function createTableBlocks(
  doc: Pdf,
  { zones, logos }: SheetVariant,
  width: number,
): Block[] {
  return [
    createHeading(doc, `Fabric zones (${zones.length})`, width),
    ...zones.map((zone) => createZoneBlock(doc, zone, width)),
    { height: 8, draw: () => undefined },
    createHeading(doc, `Logos (${logos.length})`, width),
    ...(logos.length === 0 ? [createPlainLine(doc, 'No logos on this variant.', width)] : []),
    ...logos.map((logo) => createLogoBlock(doc, logo, width)),
  ];
}

/** Draws blocks down a column until one does not fit. @returns the remaining blocks */
export function fillColumn(
  blocks: readonly Block[],
  column: { readonly x: number; readonly top: number; readonly bottom: number },
): readonly Block[] {
  let y = column.top;
  for (const [index, block] of blocks.entries()) {
    // The first block is drawn even if it is higher than the column: another column would not fit it either.
    if (index > 0 && y + block.height > column.bottom) return blocks.slice(index);
    block.draw(column.x, y);
    y += block.height;
  }
  return [];
}

/** Draws a colour tile, crossed out if the colour is unknown. */
export function drawSwatch(
  doc: Pdf,
  hex: string | null | undefined,
  box: { readonly x: number; readonly y: number; readonly width: number; readonly height: number },
): void {
  const { x, y, width, height } = box;
  doc.rect(x, y, width, height).lineWidth(0.6);
  if (hex) {
    doc.fillAndStroke(hex, ink.grey);
    return;
  }
  doc.stroke(ink.rule);
  doc
    .moveTo(x, y + height)
    .lineTo(x + width, y)
    .stroke(ink.rule);
}

export function createHeading(doc: Pdf, text: string, width: number): Block {
  return {
    height: 19,
    draw: (x, y) => {
      setText(doc, text, [x, y, width], { size: 9.5, bold: true });
      doc
        .moveTo(x, y + 14)
        .lineTo(x + width, y + 14)
        .lineWidth(0.6)
        .stroke(ink.black);
    },
  };
}

function createPlainLine(doc: Pdf, text: string, width: number): Block {
  const style = { size: 8.5, color: ink.grey };
  return { height: 16, draw: (x, y) => void setText(doc, text, [x, y, width], style) };
}

/** Stacks strings below each other. `draw` returns the y below them. */
function stackTexts(doc: Pdf, width: number, texts: readonly (readonly [string, TextStyle])[]) {
  return {
    height: texts.reduce((sum, [text, style]) => sum + measureText(doc, text, width, style), 0),
    draw: (x: number, y: number) =>
      texts.reduce((top, [text, style]) => setText(doc, text, [x, top, width], style), y),
  };
}

function createZoneBlock(doc: Pdf, { name, material, pantone }: SheetZone, width: number): Block {
  const texts = stackTexts(doc, width - swatch.width - 8, [
    [name, { size: 9, bold: true, lines: 2 }],
    [`Material: ${material}`, { size: 8, color: ink.grey, lines: 2 }],
    pantone
      ? [`PANTONE ${pantone.code}`, { size: 8.5, bold: true }]
      : [noPantone, { size: 8.5, color: ink.marker }],
  ]);
  return {
    height: texts.height + gap,
    draw: (x, y) => {
      drawSwatch(doc, pantone?.hex, { x, y: y + 1, ...swatch });
      texts.draw(x + swatch.width + 8, y);
    },
  };
}

function createLogoBlock(doc: Pdf, logo: SheetLogo, width: number): Block {
  const facts = stackTexts(doc, width - 20, [
    [logo.name, { size: 9, bold: true, lines: 2 }],
    [`On ${formatSlotView(logo)}`, { size: 8, color: ink.grey, lines: 2 }],
    [logo.method ?? 'No decoration method', { size: 8 }],
    [formatLogoSize(logo), { size: 8, color: ink.grey, lines: 2 }],
  ]);
  return {
    height: facts.height + 2 + Math.max(1, logo.inks.length) * inkStep + gap + 2,
    draw: (x, y) => {
      drawMarker(doc, logo.number, x + 7, y + 6.5);
      drawInks(doc, logo, { x: x + 20, y: facts.draw(x + 20, y) + 2, width: width - 20 });
    },
  };
}

const inkStep = 12;

function drawInks(
  doc: Pdf,
  { inks }: SheetLogo,
  { x, y, width }: { readonly x: number; readonly y: number; readonly width: number },
): void {
  const style = { size: 8 };
  if (inks.length === 0) {
    setText(doc, 'No inks on file', [x, y, width], { ...style, color: ink.marker });
  }
  inks.forEach((sheetInk, index) => {
    const top = y + index * inkStep;
    drawSwatch(doc, sheetInk.hex, { x, y: top, width: 14, height: 8.5 });
    setText(doc, formatInk(sheetInk), [x + 19, top, width - 19], style);
  });
}

/** Draws a logo's number in a circle. */
export function drawMarker(doc: Pdf, number: number, x: number, y: number): void {
  doc.circle(x, y, 6.8).lineWidth(1).fillAndStroke(ink.marker, '#ffffff');
  const style = { size: 7.5, bold: true, color: '#ffffff', align: 'center' } as const;
  setText(doc, String(number), [x - 8, y - 3.6, 16], style);
}
