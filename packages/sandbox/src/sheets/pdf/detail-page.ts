// A page about a logo, with a close-up of its zone, its artwork, method, inks and sizes.
import type { SheetLogo, SheetVariant } from '../../state/production-records.ts';
import {
  explainMissingCloseUp,
  formatInk,
  formatLengths,
  formatPlacement,
  formatSlotView,
} from '../sheet-format.ts';
import { type FileHead, startPage } from './frame.ts';
import type { ImageSourceByName } from './images.ts';
import { content, ink, missingStyle, type Pdf, setText } from './paper.ts';
import { createHeading, drawMarker, drawSwatch } from './table.ts';
import { drawPicture } from './top-sheet.ts';

const factsWidth = 330;

export function drawDetailPage(
  doc: Pdf,
  head: FileHead,
  variant: SheetVariant,
  logo: SheetLogo,
  images: ImageSourceByName,
): void {
  const title = `Logo ${logo.number} of ${variant.logos.length}`;
  const top = startPage(doc, head, variant, title);
  const side = Math.min(content.width - factsWidth - 24, content.bottom - top - 16);
  const closeUp = images.get(logo.closeUp);
  const caption = closeUp ? `Close-up of ${formatSlotView(logo)}` : explainMissingCloseUp(variant);
  drawPicture(doc, closeUp, caption, { x: content.left, y: top, side });
  const x = content.right - factsWidth;
  drawMarker(doc, logo.number, x + 8, top + 9);
  const nameStyle = { size: 14, bold: true, lines: 2 };
  let y = setText(doc, logo.name, [x + 22, top, factsWidth - 22], nameStyle);
  y = drawArtwork(doc, logo, images, { x, y: y + 6 });
  for (const [name, value] of factsOf(logo)) {
    setText(doc, name, [x, y, 92], { size: 8.5, color: ink.grey });
    y = setText(doc, value, [x + 96, y, factsWidth - 96], { size: 8.5, lines: 3 }) + 3;
  }
  drawInkList(doc, logo, { x, y: y + 5 });
}

function drawArtwork(
  doc: Pdf,
  logo: SheetLogo,
  images: ImageSourceByName,
  { x, y }: { readonly x: number; readonly y: number },
): number {
  const box = { width: factsWidth, height: 150 };
  // A medium tone, so that both white and black artwork is visible.
  doc.rect(x, y, box.width, box.height).fill('#d3d7db');
  const image = images.get(logo.picture);
  if (image) {
    const fit: [number, number] = [box.width - 16, box.height - 16];
    doc.image(image, x + 8, y + 8, { fit, align: 'center', valign: 'center' });
  } else {
    setText(doc, 'No image on file', [x, y + 70, box.width], missingStyle);
  }
  return y + box.height + 10;
}

function factsOf(logo: SheetLogo): readonly (readonly [string, string])[] {
  const zone = logo.placement?.zoneMm;
  return [
    ['Placed on', logo.slotName],
    ['Decoration', logo.method ?? 'not stated'],
    ['Artwork', logo.width > 0 ? `${logo.width} × ${logo.height} px` : 'no image'],
    ['Zone', zone ? formatLengths(zone.width, zone.height) : 'not measured'],
    ['Position', formatPlacement(logo) ?? 'not measured'],
  ];
}

/** Draws up to sixteen inks. More than six are set in two columns. */
function drawInkList(
  doc: Pdf,
  { inks }: SheetLogo,
  { x, y }: { readonly x: number; readonly y: number },
): void {
  createHeading(doc, `Inks (${inks.length})`, factsWidth).draw(x, y);
  if (inks.length === 0) {
    setText(doc, 'No inks on file', [x, y + 20, factsWidth], { size: 8.5, color: ink.marker });
  }
  const rows = inks.length > 6 ? Math.ceil(inks.length / 2) : inks.length;
  const width = inks.length > 6 ? factsWidth / 2 : factsWidth;
  inks.forEach((sheetInk, index) => {
    const position = { x: x + Math.floor(index / rows) * width, y: y + 20 + (index % rows) * 17 };
    drawSwatch(doc, sheetInk.hex, { ...position, width: 22, height: 13 });
    setText(doc, formatInk(sheetInk), [position.x + 28, position.y + 2, width - 34], { size: 8.5 });
  });
}
