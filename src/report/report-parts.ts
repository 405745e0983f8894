// HTML parts that the report pages share.
import { escapeHtml } from './html-text.ts';

export function figuresHtml(figures: readonly (readonly [name: string, value: string])[]): string {
  const items = figures.map(
    ([name, value]) => `<div><dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)}</dd></div>`,
  );
  return `<dl class="figures">${items.join('')}</dl>`;
}

export function outcomeHtml(outcome: string): string {
  const kind = outcome.replace(/[^a-z_]/g, '');
  return `<span class="outcome ${kind}">${escapeHtml(outcome.replaceAll('_', ' '))}</span>`;
}

/** A message or a fix as HTML; text in backticks becomes code. */
export function proseHtml(text: string): string {
  return escapeHtml(text).replaceAll(/`([^`]+)`/g, '<code class="inline">$1</code>');
}

/** A duration as text, such as `2 h 5 min`. */
export function formatSeconds(seconds: number): string {
  if (seconds < 60) return `${Math.round(seconds * 10) / 10} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
