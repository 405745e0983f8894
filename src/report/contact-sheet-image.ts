// Draws the contact sheet as one picture: a grid of thumbnails with labels below them.
import sharp, { type OverlayOptions } from 'sharp';
import { OutlineFont } from '../pictures/outline-font.ts';
import { formatCount } from '../plan/helpers/format-count.ts';
import {
  type ContactSheetCard,
  type ContactSheetContent,
  type ContactSheetGrid,
  cardsOfCell,
  countCards,
  notInTable,
} from './contact-sheet-card.ts';

const cell = { width: 320, gap: 24, label: 66 } as const;
const headHeight = 96;

const ink = '#1c232b';
const faint = '#66717d';
const bad = '#b3261e';
const paper = '#f4f5f6';

const fontSize = 17;
const titleSize = 25;

// Wraps text to lines of a given width, and shortens words that are too long.
function wrapText(font: OutlineFont, text: string, width: number, maxLines: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1);
    const longerLine = last === undefined ? word : `${last} ${word}`;
    if (last !== undefined && font.widthOf(longerLine, fontSize) <= width)
      lines[lines.length - 1] = longerLine;
    else lines.push(font.fit(word, fontSize, width));
  }
  if (lines.length <= maxLines) return lines;
  const overflow = lines.slice(maxLines - 1).join(' ');
  return [...lines.slice(0, maxLines - 1), font.fit(overflow, fontSize, width)];
}

/** Position of a card on the sheet. All cards have the same height. */
type CardFrame = { readonly left: number; readonly top: number; readonly height: number };

// The median aspect ratio determines the height, so that few pictures have borders.
function computeFrameHeight(cards: readonly ContactSheetCard[]): number {
  const shapes = cards
    .filter(({ thumbnail, width, height }) => thumbnail !== undefined && width > 0 && height > 0)
    .map(({ width, height }) => height / width)
    .toSorted((a, b) => a - b);
  const middle = shapes[Math.floor(shapes.length / 2)] ?? 0.75;
  return Math.round(cell.width * Math.min(1.25, Math.max(0.5, middle)));
}

async function drawPicture(
  { thumbnail }: ContactSheetCard,
  { left, top, height }: CardFrame,
): Promise<OverlayOptions | undefined> {
  if (thumbnail === undefined) return undefined;
  const input = await sharp(thumbnail)
    .resize({ width: cell.width, height, fit: 'contain', background: paper })
    .png()
    .toBuffer();
  return { input, left, top };
}

function reasonSvg(
  font: OutlineFont,
  { failed, missing }: ContactSheetCard,
  { left, top, height }: CardFrame,
): string {
  const { width } = cell;
  const isBad = missing === undefined;
  const lineHeight = fontSize * 1.4;
  const room = Math.floor((height - 24) / lineHeight);
  const lines = wrapText(font, failed ?? missing ?? '', width - 32, room);
  const first = top + (height - lines.length * lineHeight) / 2 + fontSize;
  const texts = lines.map((text, index) =>
    font.toSvg({
      text,
      size: fontSize,
      color: isBad ? bad : faint,
      left: left + (width - font.widthOf(text, fontSize)) / 2,
      baseline: first + index * lineHeight,
    }),
  );
  const box = `<rect x="${left}" y="${top}" width="${width}" height="${height}" fill="${isBad ? '#fdeceb' : '#e9ecef'}"/>`;
  return `${box}${texts.join('')}`;
}

/** A card with the text of the two lines below it. */
type Slot = { readonly card: ContactSheetCard; readonly title: string; readonly detail: string };

function createCardSlot(card: ContactSheetCard): Slot {
  const { key, caption, thumbnail, missing, width, height } = card;
  const result = thumbnail === undefined ? 'failed' : `${width} × ${height}`;
  const parts = [caption, missing === undefined ? result : ''];
  return { card, title: key, detail: parts.filter((part) => part !== '').join(', ') };
}

const emptyCell: ContactSheetCard = {
  key: '',
  caption: '',
  width: 0,
  height: 0,
  missing: notInTable,
};

function formatMore(cards: readonly ContactSheetCard[]): string {
  if (cards.length <= 1) return '';
  const { failures } = countCards(cards);
  return `, 1 of ${cards.length}${failures === 0 ? '' : `, ${failures} failed`}`;
}

/** Creates one slot per cell with its first picture, followed by the cards that belong to no cell. */
function createTableSlots(
  cards: readonly ContactSheetCard[],
  { models, colorways }: ContactSheetGrid,
): Slot[] {
  const cells = models.flatMap((model) =>
    colorways.map((colorway): Slot => {
      const cellCards = cardsOfCell(cards, model, colorway);
      const card =
        cellCards.find(({ thumbnail }) => thumbnail !== undefined) ?? cellCards[0] ?? emptyCell;
      return { card, title: model, detail: `${colorway}${formatMore(cellCards)}` };
    }),
  );
  return [...cells, ...cards.filter(({ cell }) => cell === undefined).map(createCardSlot)];
}

/** Returns the slots of a table, or without a grid an almost square layout with at most six columns. */
function computeLayout({ cards, grid }: ContactSheetContent): { slots: Slot[]; columns: number } {
  if (grid)
    return { slots: createTableSlots(cards, grid), columns: Math.max(1, grid.colorways.length) };
  const columns = Math.min(6, Math.max(1, Math.ceil(Math.sqrt(cards.length * 1.2))));
  return { slots: cards.map(createCardSlot), columns };
}

function slotSvg(font: OutlineFont, { card, title, detail }: Slot, frame: CardFrame): string {
  const line = (text: string, color: string, offset: number) =>
    font.toSvg({
      text: font.fit(text, fontSize, cell.width),
      size: fontSize,
      color,
      left: frame.left,
      baseline: frame.top + frame.height + offset,
    });
  const reason = card.thumbnail === undefined ? reasonSvg(font, card, frame) : '';
  return `${reason}${line(title, ink, 24)}${line(detail, faint, 48)}`;
}

/** Draws the sheet as a PNG. */
export async function drawContactSheet(content: ContactSheetContent): Promise<Buffer> {
  const { slots, columns } = computeLayout(content);
  const rows = Math.max(1, Math.ceil(slots.length / columns));
  const width = Math.max(2, columns) * (cell.width + cell.gap) + cell.gap;
  const frame = computeFrameHeight(content.cards);
  const step = frame + cell.label + cell.gap;
  const height = headHeight + rows * step;
  const { pictures, failures, missing } = countCards(content.cards);
  const parts = [formatCount(pictures, 'picture')];
  if (failures > 0) parts.push(`${failures} failed`);
  if (missing > 0) parts.push(`${missing} not created`);
  const room = width - cell.gap * 2;
  const font = await OutlineFont.load();
  const head = (text: string, size: number, color: string, baseline: number) =>
    font.toSvg({ text: font.fit(text, size, room), size, color, left: cell.gap, baseline });
  const texts = [
    head(content.title, titleSize, ink, 44),
    head(parts.join(', '), fontSize, faint, 74),
  ];
  const overlays: OverlayOptions[] = [];
  for (const [index, slot] of slots.entries()) {
    const left = cell.gap + (index % columns) * (cell.width + cell.gap);
    const top = headHeight + Math.floor(index / columns) * step;
    const cardFrame = { left, top, height: frame };
    const overlay = await drawPicture(slot.card, cardFrame);
    if (overlay) overlays.push(overlay);
    texts.push(slotSvg(font, slot, cardFrame));
  }
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${texts.join('')}</svg>`;
  const sheet = sharp({ create: { width, height, channels: 3, background: paper } });
  return sheet
    .composite([...overlays, { input: Buffer.from(svg), left: 0, top: 0 }])
    .png()
    .toBuffer();
}
