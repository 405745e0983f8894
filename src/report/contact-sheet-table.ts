// Renders the table of a contact sheet: models as rows, colorways as columns. A cell shows its pictures, or why they are
// missing.
import { truncate } from '../api/responses/plain-text.ts';
import {
  type ContactSheetCard,
  type ContactSheetGrid,
  cardsOfCell,
  notInTable,
} from './contact-sheet-card.ts';
import { escapeHtml } from './escape-html.ts';

/** Maximum length of a reason. `renderline failures` prints the full text. */
const maxReasonLength = 240;

function pictureHtml({ key, caption, width, height, thumbnail, link }: ContactSheetCard): string {
  const source = `data:image/jpeg;base64,${thumbnail?.toString('base64') ?? ''}`;
  const alt = escapeHtml(caption === '' ? key : `${key}, ${caption}`);
  // A declared size keeps the layout stable while pictures load.
  const size = width > 0 && height > 0 ? ` width="${width}" height="${height}"` : '';
  const image = `<img src="${source}" alt="${alt}"${size} loading="lazy" decoding="async">`;
  const linkedImage = link === undefined ? image : `<a href="${escapeHtml(link)}">${image}</a>`;
  const captionHtml = caption === '' ? '' : `<figcaption>${escapeHtml(caption)}</figcaption>`;
  return `<figure>${linkedImage}${captionHtml}</figure>`;
}

function cardHtml(card: ContactSheetCard): string {
  if (card.thumbnail !== undefined) return pictureHtml(card);
  const captionLine = card.caption === '' ? '' : `<br><small>${escapeHtml(card.caption)}</small>`;
  const reason = escapeHtml(truncate(card.failed ?? card.missing ?? '', maxReasonLength));
  const label = card.failed === undefined ? '<p>' : '<p class="bad"><strong>Failed</strong> ';
  return `${label}${reason}${captionLine}</p>`;
}

function cellHtml(cards: readonly ContactSheetCard[]): string {
  if (cards.length === 0) return `<td class="none">${notInTable}</td>`;
  const manyClass = cards.length > 1 ? ' class="many"' : '';
  return `<td><div${manyClass}>${cards.map(cardHtml).join('')}</div></td>`;
}

/** Allows line breaks in long keys after each folder. */
function modelHtml(model: string): string {
  return escapeHtml(model).replaceAll('/', '/<wbr>');
}

/** Renders the table of a grid. Cards that belong to no cell of the grid are omitted. */
export function tableHtml(
  cards: readonly ContactSheetCard[],
  { models, colorways }: ContactSheetGrid,
): string {
  const heads = colorways.map((name) => `<th scope="col">${escapeHtml(name)}</th>`).join('');
  const rows = models.map((model) => {
    const cells = colorways.map((name) => cellHtml(cardsOfCell(cards, model, name))).join('');
    return `<tr><th scope="row">${modelHtml(model)}</th>${cells}</tr>`;
  });
  return `<table>
<caption>Rows: models. Columns: colorways.</caption>
<thead><tr><th scope="col">Model</th>${heads}</tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
</table>`;
}
