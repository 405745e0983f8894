// Writes the pictures of a run to contact-sheet.html (self-contained) and contact-sheet.png.
import { mkdir, writeFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import pLimit from 'p-limit';
import type { ContactSheetCard, ContactSheetContent } from './contact-sheet-card.ts';
import { contactSheetHtml } from './contact-sheet-html.ts';
import { drawContactSheet } from './contact-sheet-image.ts';
import { createThumbnail } from './contact-sheet-thumbnail.ts';

export type ContactSheetItem = Omit<ContactSheetCard, 'thumbnail' | 'link' | 'source'> & {
  /** Absolute path of the full picture. Absent if there is none. */
  readonly path?: string;
};

export type ContactSheet = Omit<ContactSheetContent, 'cards'> & {
  readonly items: readonly ContactSheetItem[];
};

const maxConcurrentPictures = 2;

/**
 * Writes both sheets into `dir`, which is created if missing. Unreadable pictures appear as failures.
 * @returns the paths of the files
 */
export async function writeContactSheet(dir: string, { items, ...sheet }: ContactSheet) {
  await mkdir(dir, { recursive: true });
  const cards = await pLimit(maxConcurrentPictures).map(items, (item) => createCard(dir, item));
  const content = { ...sheet, cards };
  const html = join(dir, 'contact-sheet.html');
  const png = join(dir, 'contact-sheet.png');
  await writeFile(html, contactSheetHtml(content));
  await writeFile(png, await drawContactSheet(content));
  return { html, png };
}

async function createCard(
  dir: string,
  { path, ...card }: ContactSheetItem,
): Promise<ContactSheetCard> {
  if (path === undefined) return card;
  const thumbnail = await createThumbnail(path, 'large');
  if (thumbnail === null) return { ...card, failed: 'The picture cannot be read.' };
  return { ...card, thumbnail, link: relativeLinkTo(dir, path) };
}

/** Returns a relative link. Each part is encoded, so that names with spaces, #, ? or a colon work. */
export function relativeLinkTo(dir: string, path: string): string {
  const parts = relative(dir, path).split(sep);
  const link = parts.map((part) => encodeURIComponent(part)).join('/');
  return parts[0] === '..' ? link : `./${link}`;
}
