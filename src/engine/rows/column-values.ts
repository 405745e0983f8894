// Converts table cells to values. A value is the typed text, or has the type that the pipeline file declares. Pure.
import { isDateText } from '../../language/calendar/days.ts';
import type { ColumnType, RowValue } from '../../plan/rows.ts';
import { findFormulaProblem } from '../../tables/formula-error.ts';

/** A value does not fit its type. The message completes a sentence. */
export class ColumnValueError extends Error {
  override name = 'ColumnValueError';
}

const plainNumber = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;
const trueWords = new Set(['true', 'yes', 'y', '1', 'x']);
const falseWords = new Set(['false', 'no', 'n', '0']);

/**
 * Converts the text of a cell. An empty cell becomes an empty string, or null for a number or boolean.
 * @throws ColumnValueError if the text cannot be converted to the type
 */
export function toRowValue(text: string, type: ColumnType): RowValue {
  const plain = text.normalize('NFC').trim();
  const problem = type === 'number' && plainNumber.test(plain) ? null : findFormulaProblem(plain);
  if (problem !== null) throw new ColumnValueError(problem);
  switch (type) {
    case 'text':
      return plain;
    case 'number':
      return plain === '' ? null : toNumber(plain);
    case 'boolean':
      return plain === '' ? null : toBoolean(plain);
    case 'date':
      return plain === '' ? '' : toDate(plain);
  }
}

function toNumber(text: string): number {
  const value = Number(text);
  if (plainNumber.test(text) && Number.isFinite(value)) return value;
  const hint = /^[+-]?[\d.]*,\d+$/.test(text) ? '; use a decimal point instead of the comma' : '';
  throw new ColumnValueError(`is not a number${hint}`);
}

function toBoolean(text: string): boolean {
  const word = text.toLowerCase();
  if (trueWords.has(word)) return true;
  if (falseWords.has(word)) return false;
  throw new ColumnValueError('is neither true nor false');
}

/**
 * Converts a date to `2026-03-01`. Accepts `2026-03-01`, with or without a time, or `01.03.2026`. Slashes are refused,
 * because day and month are ambiguous.
 */
function toDate(text: string): string {
  const [, iso] = /^(\d{4}-\d{2}-\d{2})(?:[T ].*)?$/.exec(text) ?? [];
  const [, day = '', month = '', year = ''] = /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/.exec(text) ?? [];
  const date = iso ?? `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  if (isDateText(date)) return date;
  throw new ColumnValueError('is not a date; write dates as 2026-03-01');
}
