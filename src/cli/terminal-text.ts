// Escapes text for terminals, because names of files and platform objects may contain control characters.
import { escapeLines, escapeToOneLine, removeControls } from '../api/responses/plain-text.ts';

/** Colour codes of `createPaint`. Codes that hide text do not match. */
const color = new RegExp(`(${'\u001b'}\\[(?:[0-79]|[2-9]\\d)m)`);

/** Removes control characters but keeps line breaks and, with `hasColors`, the colour codes of `createPaint`. */
export function sanitizeForTerminal(text: string, hasColors: boolean): string {
  const plain = (part: string) => part.split('\n').map(removeControls).join('\n');
  if (!hasColors) return plain(text);
  // `split` with a capture group returns text and colour codes alternately.
  const parts = text.split(color);
  return parts.map((part, index) => (index % 2 === 1 ? part : plain(part))).join('');
}

/**
 * Copies a value, escaping each string to one line, so that a name cannot imitate lines of this program. The fields
 * `fix` and `remark` keep their line breaks, because this program writes them.
 */
export function escapeForTerminal<Value>(value: Value): Value {
  return escapeValue(value, '') as Value;
}

/** Fields that may have several lines. */
const multilineFields: ReadonlySet<string> = new Set(['fix', 'remark']);

function escapeValue(value: unknown, name: string): unknown {
  if (typeof value === 'string')
    return multilineFields.has(name) ? escapeLines(value) : escapeToOneLine(value);
  if (Array.isArray(value)) return value.map((item) => escapeValue(item, name));
  if (value instanceof Map) return new Map([...value].map((entry) => escapeForTerminal(entry)));
  if (typeof value !== 'object' || value === null) return value;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return value;
  const entries = Object.entries(value);
  return Object.fromEntries(
    entries.map(([key, item]) => [escapeToOneLine(key), escapeValue(item, key)]),
  );
}
