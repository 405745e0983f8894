// A hidden form field with marks of everything that its page asks about, so that nobody approves anything unseen.
import { html } from 'hono/html';
import type { Html } from './layout.ts';

const name = 'seen';

/** @param marks letters and digits; 25,000 of them take 300 kB */
export function seenField(marks: readonly string[]): Html {
  return html`<input type="hidden" name="${name}" value="${marks.join('.')}" />`;
}

/** The marks in the fields of a form; null if the form has no such field. */
export function parseSeen(fields: Readonly<Record<string, unknown>>): ReadonlySet<string> | null {
  const field = fields[name];
  return typeof field === 'string' ? new Set(field.split('.')) : null;
}
