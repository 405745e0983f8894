// The top sheet of a variant: views with markers, fabric zones, logos and the factory's note.
import type { Sheet, SheetVariant, ViewName } from '../../state/production-records.ts';
import { type FileHead, startPage } from './frame.ts';
import type { ImageSourceByName } from './images.ts';
import { content, ink, measureText, missingStyle, type Pdf, setText } from './paper.ts';
import { createTableBlocks, drawMarker, fillColumn } from './table.ts';

const tableWidth = 236;
const viewsWidth = content.width - tableWidth - 20;

export function drawTopSheet(
  doc: Pdf,
  head: FileHead,
  sheet: Sheet,
  variant: SheetVariant,
  images: ImageSourceByName,
): void {
  const top = startPage(doc, head, variant, 'Production sheet');
  const noteTop = drawNote(doc, sheet.options.factoryNote);
  drawViews(doc, sheet, variant, images, { top, bottom: noteTop - 8 });
  const x = content.right - tableWidth;
  let remainingBlocks = fillColumn(createTableBlocks(doc, variant, tableWidth), {
    x,
    top,
    bottom: content.bottom,
  });
  while (remainingBlocks.length > 0) {
    const next = startPage(doc, head, variant, 'Production sheet, continued');
    for (let column = 0; column < 3 && remainingBlocks.length > 0; column += 1) {
      const columnX = content.left + (column * (content.width - tableWidth)) / 2;
      remainingBlocks = fillColumn(remainingBlocks, {
        x: columnX,
        top: next,
        bottom: content.bottom,
      });
    }
  }
}

/** Draws the note below the views. @returns its top, or without a note, where the views may end */
function drawNote(doc: Pdf, note: string | undefined): number {
  if (note === undefined || note.trim() === '') return content.bottom + 8;
  const style = { size: 8.5, lines: 8 };
  const height = measureText(doc, note, viewsWidth - 16, style) + 22;
  const y = content.bottom - height;
  doc.rect(content.left, y, viewsWidth, height).fill(ink.tile);
  const titleStyle = { size: 7, bold: true, color: ink.grey };
  setText(doc, 'FACTORY NOTE', [content.left + 8, y + 5, 200], titleStyle);
  setText(doc, note, [content.left + 8, y + 15, viewsWidth - 16], style);
  return y;
}

function drawViews(
  doc: Pdf,
  sheet: Sheet,
  variant: SheetVariant,
  images: ImageSourceByName,
  area: { readonly top: number; readonly bottom: number },
): void {
  const { views } = variant;
  const height = area.bottom - area.top;
  if (!views) {
    const side = Math.min(viewsWidth, height - 14);
    const x = content.left + (viewsWidth - side) / 2;
    const box = { x, y: area.top, side };
    return drawPicture(doc, images.get(variant.preview), 'Preview, not to scale', box);
  }
  const withSides = sheet.options.includeSideViews;
  const large = Math.min((viewsWidth - 10) / 2, withSides ? height * 0.58 : height - 14);
  const small = withSides ? Math.min((viewsWidth - 10) / 2, height - large - 34) : 0;
  const row = (names: readonly ViewName[], side: number, y: number): void => {
    const start = content.left + (viewsWidth - names.length * side - 10) / 2;
    names.forEach((view, index) => {
      const box = { x: start + index * (side + 10), y, side };
      drawPicture(doc, images.get(views[view]), titles[view], box);
      drawMarks(doc, variant, view, box);
    });
  };
  row(['front', 'back'], large, area.top);
  if (withSides) row(['left', 'right'], small, area.top + large + 18);
}

const titles: Readonly<Record<ViewName, string>> = {
  front: 'Front',
  back: 'Back',
  left: 'Left side',
  right: 'Right side',
};

interface ViewBox {
  readonly x: number;
  readonly y: number;
  readonly side: number;
}

/** Draws a square picture in a frame with a title below. If the picture is missing, the frame says so. */
export function drawPicture(
  doc: Pdf,
  image: string | undefined,
  title: string,
  box: ViewBox,
): void {
  const { x, y, side } = box;
  if (image) doc.image(image, x, y, { fit: [side, side], align: 'center', valign: 'center' });
  else {
    doc.rect(x, y, side, side).fill(ink.tile);
    setText(doc, 'No picture', [x, y + side / 2 - 5, side], missingStyle);
  }
  doc.rect(x, y, side, side).lineWidth(0.6).stroke(ink.rule);
  setText(doc, title, [x, y + side + 3, side], { size: 8, color: ink.grey, align: 'center' });
}

function drawMarks(doc: Pdf, variant: SheetVariant, view: ViewName, { x, y, side }: ViewBox): void {
  for (const { number, placement } of variant.logos) {
    const mark = placement?.marks.find((candidate) => candidate.view === view);
    if (mark) drawMarker(doc, number, x + mark.x * side, y + mark.y * side);
  }
}
