// HTML parts that the report pages share.
import { withoutFalse } from '../plan/helpers/without-false.ts';
import { escapeHtml } from './escape-html.ts';

type Figure = readonly [name: string, value: string];

export function figuresHtml(figures: readonly (Figure | false)[]): string {
  const items = withoutFalse(figures).map(
    ([name, value]) => `<div><dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)}</dd></div>`,
  );
  return `<dl class="figures">${items.join('')}</dl>`;
}

export function outcomeHtml(outcome: string): string {
  const kind = outcome.replace(/[^a-z_]/g, '');
  return `<span class="outcome ${kind}">${escapeHtml(outcome.replaceAll('_', ' '))}</span>`;
}

/** Renders a message or a fix as HTML. Text in backticks becomes code. */
export function proseHtml(text: string): string {
  return escapeHtml(text).replaceAll(/`([^`]+)`/g, '<code class="inline">$1</code>');
}

/** Renders a paragraph for each non-empty text. */
export function paragraphsHtml(texts: readonly (string | null)[]): string {
  return texts.flatMap((text) => (text ? [`<p>${proseHtml(text)}</p>`] : [])).join('');
}

/** Renders a link. Returns an empty string unless the address is an http(s) URL. */
export function webLinkHtml(address: string | null, text: string): string {
  const isSafe = address !== null && /^https?:\/\//i.test(address);
  return isSafe ? `<a href="${escapeHtml(address)}">${text}</a>` : '';
}
