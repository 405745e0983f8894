// Draws the contact sheet as one picture: a grid of thumbnails with labels in a built-in bitmap font.
import sharp, { type OverlayOptions } from 'sharp';
import { drawText, fitText, lineRows, textWidth } from '../pictures/bitmap-font.ts';
import { formatCount } from '../plan/helpers/format-count.ts';
import {
  cellsOf,
  countCards,
  notInTable,
  type SheetCard,
  type SheetContent,
  type SheetGrid,
} from './contact-sheet-card.ts';

const cell = { width: 320, gap: 24, label: 66 } as const;
const headHeight = 96;
/** More cards would make a picture too large for many programs. */
const maxCards = 120;
/** A grid with more colorways is drawn without table columns. */
const maxColorways = 8;

const ink = '#1c232b';
const faint = '#66717d';
const bad = '#b3261e';
const paper = '#f4f5f6';

type Text = { readonly text: string; readonly scale: number; readonly color: string };

async function drawLabel(
  { text, scale, color }: Text,
  left: number,
  top: number,
): Promise<OverlayOptions> {
  const mask = drawText(text, scale);
  const { width, height } = mask;
  const alpha = Buffer.from(mask.ink.map((value) => value * 255));
  const input = await sharp({ create: { width, height, channels: 3, background: color } })
    .joinChannel(alpha, { raw: { width, height, channels: 1 } })
    .png()
    .toBuffer();
  return { input, left, top };
}

// Wraps text into lines of a width, and shortens words that are too long.
function wrapText(text: string, scale: number, width: number, maxLines: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1);
    const joined = last === undefined ? word : `${last} ${word}`;
    if (last !== undefined && textWidth(joined, scale) <= width) lines[lines.length - 1] = joined;
    else lines.push(fitText(word, scale, width));
  }
  if (lines.length <= maxLines) return lines;
  const rest = lines.slice(maxLines - 1).join(' ');
  return [...lines.slice(0, maxLines - 1), fitText(rest, scale, width)];
}

/** Position of a card on the sheet; all cards have the same height. */
type CardFrame = { readonly left: number; readonly top: number; readonly height: number };

// The median aspect ratio determines the height, so that few pictures have borders.
function frameHeight(cards: readonly SheetCard[]): number {
  const shapes = cards
    .filter(({ thumbnail, width, height }) => thumbnail !== undefined && width > 0 && height > 0)
    .map(({ width, height }) => height / width)
    .toSorted((a, b) => a - b);
  const middle = shapes[Math.floor(shapes.length / 2)] ?? 0.75;
  return Math.round(cell.width * Math.min(1.25, Math.max(0.5, middle)));
}

async function drawPicture(card: SheetCard, frame: CardFrame): Promise<OverlayOptions[]> {
  const { width } = cell;
  const { left, top, height } = frame;
  if (card.thumbnail === undefined) {
    const isBad = card.missing === undefined;
    const background = isBad ? '#fdeceb' : '#e9ecef';
    const color = isBad ? bad : faint;
    const box = await sharp({ create: { width, height, channels: 3, background } })
      .png()
      .toBuffer();
    const lineHeight = lineRows * 2.6;
    const room = Math.floor((height - 24) / lineHeight);
    const lines = wrapText(card.failed ?? card.missing ?? '', 2, width - 32, room);
    const first = top + Math.round((height - lines.length * lineHeight) / 2);
    const texts = lines.map((text, index) => {
      const center = left + Math.round((width - textWidth(text, 2)) / 2);
      return drawLabel({ text, scale: 2, color }, center, first + Math.round(index * lineHeight));
    });
    return [{ input: box, left, top }, ...(await Promise.all(texts))];
  }
  const input = await sharp(card.thumbnail)
    .resize({ width, height, fit: 'contain', background: paper })
    .png()
    .toBuffer();
  return [{ input, left, top }];
}

/** A card and the two lines below it. */
type Slot = { readonly card: SheetCard; readonly title: string; readonly detail: string };

function cardSlot(card: SheetCard): Slot {
  const { key, caption, thumbnail, width, height } = card;
  const size = thumbnail === undefined ? 'failed' : `${width} x ${height}`;
  return { card, title: key, detail: caption === '' ? size : `${caption}, ${size}` };
}

const emptyCell: SheetCard = { key: '', caption: '', width: 0, height: 0, missing: notInTable };

function formatMore(cards: readonly SheetCard[]): string {
  if (cards.length <= 1) return '';
  const { failures } = countCards(cards);
  return `, 1 of ${cards.length}${failures === 0 ? '' : `, ${failures} failed`}`;
}

/** One slot per cell with its first picture, followed by the cards that belong to no cell. */
function tableSlots(cards: readonly SheetCard[], { models, colorways }: SheetGrid): Slot[] {
  const cardsOf = cellsOf(cards);
  const cells = models.flatMap((model) =>
    colorways.map((colorway): Slot => {
      const all = cardsOf(model, colorway);
      const card = all.find(({ thumbnail }) => thumbnail !== undefined) ?? all[0] ?? emptyCell;
      return { card, title: model, detail: `${colorway}${formatMore(all)}` };
    }),
  );
  return [...cells, ...cards.filter(({ cell }) => cell === undefined).map(cardSlot)];
}

/** The slots that fit: whole rows of a table, else an almost square layout with at most six columns. */
function layout({ cards, grid }: SheetContent): { slots: Slot[]; columns: number } {
  const across = grid?.colorways.length ?? 0;
  if (grid && across > 0 && across <= maxColorways) {
    const room = Math.floor(maxCards / across) * across;
    return { slots: tableSlots(cards, grid).slice(0, room), columns: across };
  }
  const slots = cards.slice(0, maxCards).map(cardSlot);
  return { slots, columns: Math.min(6, Math.max(1, Math.ceil(Math.sqrt(slots.length * 1.2)))) };
}

async function drawSlot(
  { card, title, detail }: Slot,
  frame: CardFrame,
): Promise<OverlayOptions[]> {
  const under = frame.top + frame.height;
  const line = (text: string, color: string, top: number): Promise<OverlayOptions> =>
    drawLabel({ text: fitText(text, 2, cell.width), scale: 2, color }, frame.left, under + top);
  return [
    ...(await drawPicture(card, frame)),
    await line(title, ink, 10),
    await line(detail, faint, 34),
  ];
}

/** Draws the sheet as a PNG. */
export async function contactSheetImage(content: SheetContent): Promise<Buffer> {
  const { slots, columns } = layout(content);
  const shown = slots.flatMap(({ card }) => (card === emptyCell ? [] : [card]));
  const more = content.remaining + content.cards.length - shown.length;
  const rows = Math.max(1, Math.ceil(slots.length / columns));
  const width = Math.max(2, columns) * (cell.width + cell.gap) + cell.gap;
  const frame = frameHeight(shown);
  const step = frame + cell.label + cell.gap;
  const height = headHeight + rows * step;
  const { pictures, failures, missing } = countCards(shown);
  const parts = [formatCount(pictures, 'picture')];
  if (failures > 0) parts.push(`${failures} failed`);
  if (missing > 0) parts.push(`${missing} not made`);
  if (more > 0) parts.push(`${more} more not shown`);
  const room = width - cell.gap * 2;
  const overlays = [
    await drawLabel({ text: fitText(content.title, 3, room), scale: 3, color: ink }, cell.gap, 22),
    await drawLabel(
      { text: fitText(parts.join(', '), 2, room), scale: 2, color: faint },
      cell.gap,
      60,
    ),
  ];
  for (const [index, slot] of slots.entries()) {
    const x = cell.gap + (index % columns) * (cell.width + cell.gap);
    const y = headHeight + Math.floor(index / columns) * step;
    overlays.push(...(await drawSlot(slot, { left: x, top: y, height: frame })));
  }
  const sheet = sharp({ create: { width, height, channels: 3, background: paper } });
  return sheet.composite(overlays).png().toBuffer();
}
