// Writes the pictures of a run to contact-sheet.html (self-contained) and contact-sheet.png.
import { mkdir, writeFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import pLimit from 'p-limit';
import { groupBy } from '../plan/helpers/group-by.ts';
import type {
  ContactSheetCard,
  ContactSheetCell,
  ContactSheetContent,
  ContactSheetGrid,
} from './contact-sheet-card.ts';
import { contactSheetHtml } from './contact-sheet-html.ts';
import { drawContactSheet } from './contact-sheet-image.ts';
import { createThumbnail, type thumbnailSizes } from './contact-sheet-thumbnail.ts';

export type ContactSheetItem = {
  readonly key: string;
  /** Absolute path of the full picture. Null if there is none. */
  readonly path: string | null;
  readonly caption?: string | undefined;
  /** Size of the full picture in pixels, for its label. */
  readonly width: number;
  readonly height: number;
  readonly failed?: string | undefined;
  /** Why the asset has no picture although nothing failed. */
  readonly missing?: string | undefined;
  readonly cell?: ContactSheetCell | undefined;
};

export type ContactSheet = {
  readonly title: string;
  readonly items: readonly ContactSheetItem[];
  /** If set, the sheet is a table with models as rows and positions as columns. */
  readonly grid?: ContactSheetGrid;
};

/** Maximum number of items. A page with more pictures would load too slowly. */
const maxItems = 600;
/** Maximum number of items in a table, whose pictures are smaller. */
const maxInTable = 1_500;
const maxConcurrentPictures = 2;

/**
 * Writes both sheets into `dir`, which is created if missing. Unreadable pictures appear as failures.
 * @returns the paths of the files, and in `remaining` the number of items that did not fit, which the page shows
 */
export async function writeContactSheet(dir: string, sheet: ContactSheet) {
  await mkdir(dir, { recursive: true });
  const { items, ...contentFields } = selectFittingItems(sheet);
  const size = items.length > maxItems ? 'small' : 'large';
  const cards = await pLimit(maxConcurrentPictures).map(items, (item) =>
    createCard(dir, item, size),
  );
  const content: ContactSheetContent = { ...contentFields, title: sheet.title, cards };
  const html = join(dir, 'contact-sheet.html');
  const png = join(dir, 'contact-sheet.png');
  await writeFile(html, contactSheetHtml(content));
  await writeFile(png, await drawContactSheet(content));
  return { html, png, remaining: contentFields.remaining };
}

/** Returns the items that fit on the page. For a grid, returns whole models and the items that belong to no cell. */
function selectFittingItems({ items, grid }: ContactSheet) {
  if (!grid)
    return { items: items.slice(0, maxItems), remaining: Math.max(0, items.length - maxItems) };
  const otherItems = items.filter(({ cell }) => cell === undefined).slice(0, maxItems);
  const byModel = groupBy(items, ({ cell }) => cell?.model ?? '');
  const models: string[] = [];
  const tableItems: ContactSheetItem[] = [];
  for (const model of grid.models) {
    const cells = (byModel.get(model) ?? []).filter(({ cell }) => cell !== undefined);
    if (models.length > 0 && tableItems.length + cells.length > maxInTable) break;
    models.push(model);
    tableItems.push(...cells);
  }
  return {
    items: [...tableItems, ...otherItems],
    remaining: items.length - tableItems.length - otherItems.length,
    grid: { ...grid, models },
    remainingModels: grid.models.length - models.length,
  };
}

async function createCard(
  dir: string,
  item: ContactSheetItem,
  size: keyof typeof thumbnailSizes,
): Promise<ContactSheetCard> {
  const { key, caption, width, height, path, cell, missing } = item;
  const card = { key, caption: caption ?? '', width, height, ...(cell ? { cell } : {}) };
  if (missing !== undefined) return { ...card, missing };
  if (item.failed !== undefined || path === null) {
    return { ...card, failed: item.failed ?? 'No picture was delivered.' };
  }
  const thumbnail = await createThumbnail(path, size);
  if (thumbnail === null) return { ...card, failed: 'The picture cannot be read.' };
  return { ...card, thumbnail, link: relativeLinkTo(dir, path) };
}

/** Returns a relative link. Each part is encoded, so that names with spaces, #, ? or a colon work. */
export function relativeLinkTo(dir: string, path: string): string {
  const parts = relative(dir, path).split(sep);
  const link = parts.map((part) => encodeURIComponent(part)).join('/');
  return parts[0] === '..' ? link : `./${link}`;
}
