// The contact sheet as one HTML file: nothing loaded from outside, every value escaped, no scripts.
import { createHash } from 'node:crypto';
import { countCards, type SheetCard, type SheetContent } from './contact-sheet-card.ts';
import { sheetStyle } from './contact-sheet-style.ts';
import { tableHtml } from './contact-sheet-table.ts';
import { count, escaped } from './html-text.ts';

const styleHash = createHash('sha256').update(sheetStyle).digest('base64');

function cardHtml(card: SheetCard): string {
  const key = escaped(card.key);
  const caption = card.caption === '' ? '' : `<div class="caption">${escaped(card.caption)}</div>`;
  if (card.thumbnail === undefined) {
    const reason = escaped(card.failed ?? '');
    return `<li class="failed"><div class="frame">${reason}</div><div class="text"><div class="key">${key}</div>${caption}</div></li>`;
  }
  const source = `data:image/jpeg;base64,${card.thumbnail.toString('base64')}`;
  const image = `<img src="${source}" alt="${key}" loading="lazy">`;
  const frame =
    card.link === undefined
      ? `<div class="frame">${image}</div>`
      : `<a class="frame" href="${escaped(card.link)}">${image}</a>`;
  const size = `<div class="size">${card.width} × ${card.height}</div>`;
  return `<li>${frame}<div class="text"><div class="key">${key}</div>${caption}${size}</div></li>`;
}

function listHtml(cards: readonly SheetCard[]): string {
  return `<ul>
${cards.map(cardHtml).join('\n')}
</ul>`;
}

/** A table for a grid, with cards that belong to no cell below. */
function bodyHtml({ cards, grid }: SheetContent): string {
  if (grid === undefined) return listHtml(cards);
  const others = cards.filter(({ cell }) => cell === undefined);
  return [tableHtml(cards, grid), ...(others.length > 0 ? [listHtml(others)] : [])].join('\n');
}

function countsOf({ cards, grid }: SheetContent): string {
  const { pictures, failures, missing } = countCards(cards);
  const sizes =
    grid && `${count(grid.models.length, 'model')} × ${count(grid.colorways.length, 'colorway')}: `;
  const failed = failures === 0 ? '' : `, <strong>${failures} failed</strong>`;
  const others = missing === 0 ? '' : `, ${missing} not made`;
  return `${sizes ?? ''}${count(pictures, 'picture')}${failed}${others}`;
}

function footerHtml({ left, modelsLeft = 0 }: SheetContent): string {
  if (left === 0) return '';
  const models = modelsLeft === 0 ? '' : `, of ${count(modelsLeft, 'model')}`;
  return `<footer>${left} more are not shown here${models}.</footer>`;
}

/** The whole page; opens from disk, prints, and needs no network. */
export function contactSheetHtml(content: SheetContent): string {
  const { title } = content;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<style>${sheetStyle}</style>
</head>
<body>
<header><h1>${escaped(title)}</h1><p>${countsOf(content)}</p></header>
${bodyHtml(content)}
${footerHtml(content)}
</body>
</html>
`;
}
