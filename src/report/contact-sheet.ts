// The pictures of a run on one page: contact-sheet.html (self-contained) and contact-sheet.png.
import { mkdir, writeFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { contactSheetHtml, type SheetCard } from './contact-sheet-html.ts';
import { contactSheetImage } from './contact-sheet-image.ts';
import { makeThumbnail } from './contact-sheet-thumbnail.ts';

export type ContactSheetItem = {
  /** The asset's business key. */
  readonly key: string;
  /** Absolute path of the full picture; null where there is none. */
  readonly path: string | null;
  readonly caption?: string | undefined;
  /** Size of the full picture in pixels, as shown beside it. */
  readonly width: number;
  readonly height: number;
  /** Why the asset has no picture. */
  readonly failed?: string | undefined;
};

export type ContactSheet = {
  readonly title: string;
  readonly items: readonly ContactSheetItem[];
};

export type ContactSheetFiles = {
  readonly html: string;
  readonly png: string;
  /** Items that did not fit on the page; they are counted there. */
  readonly left: number;
};

/** A page with more pictures is too heavy to open. */
const maxItems = 600;
/** Pictures decoded at a time. */
const lanes = 2;

/** Writes both sheets into `dir` (made if missing). Pictures that cannot be read appear as failures. */
export async function writeContactSheet(
  dir: string,
  { title, items }: ContactSheet,
): Promise<ContactSheetFiles> {
  await mkdir(dir, { recursive: true });
  const shown = items.slice(0, maxItems);
  const left = items.length - shown.length;
  const cards: SheetCard[] = Array.from({ length: shown.length });
  let next = 0;
  const work = async (): Promise<void> => {
    for (let index = next++; index < shown.length; index = next++) {
      const item = shown[index];
      if (item !== undefined) cards[index] = await makeCard(dir, item);
    }
  };
  await Promise.all(Array.from({ length: lanes }, work));
  const html = join(dir, 'contact-sheet.html');
  const png = join(dir, 'contact-sheet.png');
  await writeFile(html, contactSheetHtml({ title, cards, left }));
  await writeFile(png, await contactSheetImage({ title, cards, left }));
  return { html, png, left };
}

async function makeCard(dir: string, item: ContactSheetItem): Promise<SheetCard> {
  const { key, caption, width, height, path } = item;
  const card = { key, caption: caption ?? '', width, height };
  if (item.failed !== undefined || path === null) {
    return { ...card, failed: item.failed ?? 'No picture was delivered.' };
  }
  const thumbnail = await makeThumbnail(path);
  if (thumbnail === null) return { ...card, failed: 'The picture cannot be read.' };
  return { ...card, thumbnail, link: relativeLink(dir, path) };
}

// Each part is encoded, so that names with spaces, #, ? or a colon still lead to the file.
function relativeLink(dir: string, path: string): string {
  const parts = relative(dir, path).split(sep);
  const link = parts.map((part) => encodeURIComponent(part)).join('/');
  return parts[0] === '..' ? link : `./${link}`;
}
