// The frame of every page: a header with number, model and variant, and a footer.

import type { ProductionFileRecord, SheetVariant } from '../../state/production-records.ts';
import { listNotices } from '../sheet-format.ts';
import {
  content,
  ink,
  measureText,
  type Pdf,
  paper,
  setText,
  type TextBox,
  type TextStyle,
} from './paper.ts';

export type FileHead = Pick<ProductionFileRecord, 'documentNumber' | 'version' | 'createdAt'> & {
  readonly modelName: string;
};

/** Starts a page. @returns the y below its head and notices */
export function startPage(doc: Pdf, head: FileHead, variant: SheetVariant, title: string): number {
  doc.addPage();
  const { left, right } = content;
  setText(doc, title.toUpperCase(), [left, 28, 380], { size: 7.5, bold: true, color: ink.grey });
  setTitle(doc, head.modelName, [left, 39, 470]);
  setText(doc, variant.name, [left, 62, 470], { size: 11.5, color: ink.grey });
  const cells = [
    ['Document', head.documentNumber],
    ['Version', String(head.version)],
    ['Date', formatIsoDay(head.createdAt)],
    ['Views', formatViews(variant)],
  ] as const;
  const widths = [84, 48, 72, 92];
  let x = right - widths.reduce((sum, width) => sum + width, 0);
  cells.forEach(([name, value], index) => {
    const width = (widths[index] ?? 0) - 8;
    doc.moveTo(x, 30).lineTo(x, 74).lineWidth(0.5).stroke(ink.rule);
    setText(doc, name, [x + 8, 32, width - 4], { size: 7, color: ink.grey });
    setText(doc, value, [x + 8, 43, width - 4], { size: 11, bold: true, lines: 2 });
    x += widths[index] ?? 0;
  });
  doc.moveTo(left, 84).lineTo(right, 84).lineWidth(1.2).stroke(ink.black);
  return drawNoticeStrips(doc, variant);
}

/** Sets the title on one line if it fits, otherwise in a smaller size on two lines. */
function setTitle(doc: Pdf, title: string, box: TextBox): void {
  const large = { size: 17, bold: true, lines: 1 };
  const small = { size: 9.5, bold: true, lines: 2 };
  const fits = measureText(doc, title, box[2], { ...large, lines: 2 }) < 2 * large.size;
  setText(doc, title, box, fits ? large : small);
}

function drawNoticeStrips(doc: Pdf, variant: SheetVariant): number {
  let y = 92;
  for (const { title, text } of listNotices(variant)) {
    doc
      .rect(content.left, y, content.width, 19)
      .lineWidth(0.8)
      .fillAndStroke(ink.amber, ink.amberRule);
    setText(doc, title, [content.left + 8, y + 5, 110], { size: 9, bold: true });
    setText(doc, text, [content.left + 122, y + 5, content.width - 130], { size: 9 });
    y += 24;
  }
  return Math.max(y + 2, content.top);
}

/** Draws every page's footer. Called when the number of pages is known. */
export function numberPages(doc: Pdf, head: FileHead): void {
  const { start, count } = doc.bufferedPageRange();
  for (let page = 0; page < count; page += 1) {
    doc.switchToPage(start + page);
    const y = paper.height - 34;
    doc
      .moveTo(content.left, y - 5)
      .lineTo(content.right, y - 5)
      .lineWidth(0.5)
      .stroke(ink.rule);
    const foot = (text: string, x: number, width: number, align: TextStyle['align']) =>
      setText(doc, text, [x, y, width], { size: 7, color: ink.grey, align });
    const { left, right, width } = content;
    foot(`${head.documentNumber}, version ${head.version}`, left, 200, 'left');
    const advice = 'Match colours to the Pantone guide, never to this print or a screen.';
    foot(advice, left + 200, width - 400, 'center');
    foot(`Page ${page + 1} of ${count}`, right - 200, 200, 'right');
  }
}

export function formatIsoDay(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

function formatViews({ capturedAt, captureMode }: SheetVariant): string {
  return capturedAt === undefined ? 'none' : `${formatIsoDay(capturedAt)} ${captureMode ?? ''}`;
}
