// Parses cron expressions by the rules of Temporal's schedules: five to seven fields. A day must match both day fields.
// The server parses them again, and its result counts. This parser names the invalid field and shows starts in advance.

/** The matching values of each field, sorted. */
export interface CronTimes {
  second: readonly number[];
  minute: readonly number[];
  hour: readonly number[];
  dayOfMonth: readonly number[];
  month: readonly number[];
  /** Empty means every year. */
  year: readonly number[];
  /** Days of the week, where 0 is Sunday. */
  dayOfWeek: readonly number[];
}

export interface CronProblem {
  message: string;
  /** Offsets into the text. */
  start: number;
  end: number;
}

export type Cron = { ok: true; times: CronTimes } | { ok: false; problem: CronProblem };

interface Field {
  label: string;
  min: number;
  max: number;
  /** Names for the numbers from `min` upwards, and how many letters identify a name. */
  names?: readonly string[];
  letters?: number;
}

const months =
  'january february march april may june july august september october november december';
const days = 'sunday monday tuesday wednesday thursday friday saturday';

const fields: Record<keyof CronTimes, Field> = {
  second: { label: 'the second', min: 0, max: 59 },
  minute: { label: 'the minute', min: 0, max: 59 },
  hour: { label: 'the hour', min: 0, max: 23 },
  dayOfMonth: { label: 'the day of the month', min: 1, max: 31 },
  month: { label: 'the month', min: 1, max: 12, names: months.split(' '), letters: 3 },
  year: { label: 'the year', min: 2000, max: 2100 },
  dayOfWeek: { label: 'the day of the week', min: 0, max: 7, names: days.split(' '), letters: 2 },
};

const standardFields = ['minute', 'hour', 'dayOfMonth', 'month', 'dayOfWeek'] as const;
const orders: Record<number, readonly (keyof CronTimes)[] | undefined> = {
  5: standardFields,
  6: [...standardFields, 'year'],
  7: ['second', ...standardFields, 'year'],
};

const shorthands: Record<string, string | undefined> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};

const createRange = (min: number, max: number) =>
  Array.from({ length: max - min + 1 }, (_, index) => min + index);

/** Matches every second. */
export const everyValue: CronTimes = {
  second: createRange(0, 59),
  minute: createRange(0, 59),
  hour: createRange(0, 23),
  dayOfMonth: createRange(1, 31),
  month: createRange(1, 12),
  year: [],
  dayOfWeek: createRange(0, 6),
};

/** True if the times include every second of a day. */
export function isWholeDay(times: CronTimes): boolean {
  const parts = ['hour', 'minute', 'second'] as const;
  return parts.every((part) => times[part].length === everyValue[part].length);
}

/** Short names of the days of the week: `SUN` is first. */
export const weekdayNames = days.split(' ').map((name) => name.slice(0, 3).toUpperCase());

/** Returns the number of a day of the week, such as 0 for `SUN` or `sunday`, or null if the text is not a day. */
export function parseWeekday(text: string): number | null {
  const value = /^[a-z]+$/i.test(text) ? parseValue(text, fields.dayOfWeek) : '';
  return typeof value === 'number' ? value : null;
}

/** Parses an expression. A problem contains the field and its position in the text. */
export function parseCron(text: string): Cron {
  const refusal = findSyntaxProblem(text);
  if (refusal !== null)
    return { ok: false, problem: { message: refusal, start: 0, end: text.length } };
  const plain = shorthands[text.trim()] ?? text;
  const parts = [...plain.matchAll(/\S+/g)];
  const order = orders[parts.length];
  if (order === undefined) {
    const message = `has ${parts.length} ${parts.length === 1 ? 'field' : 'fields'}, not 5: minute, hour, day of month, month, day of week`;
    return { ok: false, problem: { message, start: 0, end: text.length } };
  }
  // Without a field for seconds or years, a schedule starts at second 0 of every year.
  const times: CronTimes = { ...everyValue, second: [0] };
  for (const [index, name] of order.entries()) {
    const { 0: part = '', index: start = 0 } = parts[index] ?? {};
    // `*` as the year is not expanded to a list, because schedules have no end.
    if (name === 'year' && part === '*') continue;
    const values = parseField(part, fields[name]);
    if (typeof values === 'string') {
      return { ok: false, problem: { message: values, start, end: start + part.length } };
    }
    times[name] = values;
  }
  return { ok: true, times };
}

/** Refuses text that belongs in another field of the file (time zone, interval), comments and unknown shorthands. */
function findSyntaxProblem(text: string): string | null {
  const trimmed = text.trim();
  if (/^(?:CRON_)?TZ=/.test(trimmed)) return 'contains a time zone; set it under `timezone:`';
  if (trimmed.startsWith('@every')) return 'is an interval; set it under `every:`';
  if (trimmed.includes('#')) return 'contains a comment; write the comment after the value';
  if (trimmed.startsWith('@') && shorthands[trimmed] === undefined) {
    return `"${trimmed}" is not one of ${Object.keys(shorthands).join(', ')}`;
  }
  return null;
}

/** Returns the values of a field in order, or why the field is invalid. */
function parseField(text: string, field: Field): readonly number[] | string {
  const values = new Set<number>();
  for (const part of text.split(',')) {
    const [range = '', step, ...more] = part.split('/');
    if (more.length > 0) return `${field.label}: "${part}" has more than one /`;
    const stepSize = step === undefined ? 1 : /^\d{1,4}$/.test(step) ? Number(step) : 0;
    if (stepSize < 1) return `${field.label}: the step "${step}" is not a number above 0`;
    const ends = parseRange(range, field, step !== undefined);
    if (typeof ends === 'string') return ends;
    for (let value = ends.from; value <= ends.to; value += stepSize) {
      // Sunday is both 0 and 7, so 7 becomes 0.
      values.add(field === fields.dayOfWeek ? value % 7 : value);
    }
  }
  return [...values].sort((a, b) => a - b);
}

function parseRange(
  text: string,
  field: Field,
  stepped: boolean,
): { from: number; to: number } | string {
  const { min, max, label } = field;
  // `*` for the day of the week must not include Sunday twice.
  if (text === '*') return { from: min, to: field === fields.dayOfWeek ? 6 : max };
  const [first = '', last, ...more] = text.split('-');
  if (more.length > 0) return `${label}: "${text}" has more than one -`;
  const from = parseValue(first, field);
  if (typeof from === 'string') return from;
  // `5/10` is every tenth value starting at 5.
  if (last === undefined) return { from, to: stepped ? max : from };
  const to = parseValue(last, field);
  if (typeof to === 'string') return to;
  return to < from ? `${label}: "${text}" ends before it starts` : { from, to };
}

function parseValue(text: string, { min, max, label, names, letters = 0 }: Field): number | string {
  const number = /^\d{1,4}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= min && number <= max) return number;
  const lower = text.toLowerCase();
  const nameIndex =
    lower.length < letters ? -1 : (names?.findIndex((name) => name.startsWith(lower)) ?? -1);
  if (nameIndex >= 0) return nameIndex + min;
  const example = names === undefined ? '' : ` or a name such as ${names[1]?.slice(0, 3)}`;
  return `${label} must be ${min}-${max}${example}, not "${text}"`;
}
