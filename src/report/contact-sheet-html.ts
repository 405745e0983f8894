// Renders the contact sheet as one HTML file that loads nothing, escapes every value and has no scripts.

import { formatCount } from '../plan/helpers/format-count.ts';
import {
  type ContactSheetCard,
  type ContactSheetContent,
  countCards,
} from './contact-sheet-card.ts';
import { contactSheetStyle } from './contact-sheet-style.ts';
import { tableHtml } from './contact-sheet-table.ts';
import { escapeHtml } from './escape-html.ts';
import { pageHtml } from './page-html.ts';

/**
 * Renders the list item of a card.
 * @param attributes further attributes of the item, already escaped
 * @param opens whether a script can enlarge pictures that have no link
 */
export function cardHtml(card: ContactSheetCard, attributes = '', opens = false): string {
  const key = escapeHtml(card.key);
  const caption =
    card.caption === '' ? '' : `<div class="caption">${escapeHtml(card.caption)}</div>`;
  const extraAttributes = attributes === '' ? '' : ` ${attributes}`;
  const text = (size: string) =>
    `<div class="text"><div class="key">${key}</div>${caption}${size}</div>`;
  if (card.failed !== undefined) {
    const reason = escapeHtml(card.failed);
    if (card.thumbnail === undefined) {
      return `<li class="failed"${extraAttributes}><div class="frame">${reason}</div>${text('')}</li>`;
    }
    const failedFrame = frameHtml(card, imageHtml({ ...card, caption: 'not delivered' }), opens);
    return `<li class="failed"${extraAttributes}>${failedFrame}${text(`<div class="caption">${reason}</div>`)}</li>`;
  }
  const inside = imageHtml(card);
  const frame = frameHtml(card, inside, opens && inside.startsWith('<img'));
  const size = card.width > 0 ? `<div class="size">${card.width} × ${card.height}</div>` : '';
  return `<li${extraAttributes}>${frame}${text(size)}</li>`;
}

function frameHtml({ link }: ContactSheetCard, inside: string, opens: boolean): string {
  if (link !== undefined) return `<a class="frame" href="${escapeHtml(link)}">${inside}</a>`;
  if (opens) return `<button class="frame" type="button">${inside}</button>`;
  return `<div class="frame">${inside}</div>`;
}

function imageHtml({ key, caption, thumbnail, source, missing }: ContactSheetCard): string {
  const embeddedUrl = thumbnail && `data:image/jpeg;base64,${thumbnail.toString('base64')}`;
  const sourceUrl = embeddedUrl ?? source;
  if (sourceUrl === undefined) return escapeHtml(missing ?? '');
  const alt = escapeHtml(caption === '' ? key : `${key}, ${caption}`);
  return `<img src="${escapeHtml(sourceUrl)}" alt="${alt}" loading="lazy" decoding="async">`;
}

function listHtml(cards: readonly ContactSheetCard[]): string {
  return `<ul>
${cards.map((card) => cardHtml(card)).join('\n')}
</ul>`;
}

/** Renders a table for a grid, followed by the cards that belong to no cell. */
function bodyHtml({ cards, grid }: ContactSheetContent): string {
  if (grid === undefined) return listHtml(cards);
  const otherCards = cards.filter(({ cell }) => cell === undefined);
  return [tableHtml(cards, grid), ...(otherCards.length > 0 ? [listHtml(otherCards)] : [])].join(
    '\n',
  );
}

function countsOf({ cards, grid }: ContactSheetContent): string {
  const { pictures, failures, missing } = countCards(cards);
  const sizes =
    grid &&
    `${formatCount(grid.models.length, 'model')} × ${formatCount(grid.colorways.length, 'colorway')}: `;
  const failureText = failures === 0 ? '' : `, <strong>${failures} failed</strong>`;
  const missingText = missing === 0 ? '' : `, ${missing} not created`;
  return `${sizes ?? ''}${formatCount(pictures, 'picture')}${failureText}${missingText}`;
}

/** Renders the whole page. It opens from disk, can be printed, and needs no network. */
export function contactSheetHtml(content: ContactSheetContent): string {
  const { title } = content;
  const body = `<header><h1>${escapeHtml(title)}</h1><p>${countsOf(content)}</p></header>
${bodyHtml(content)}`;
  return pageHtml({ title, style: contactSheetStyle, body });
}
