// Formats the days of a schedule as comparable strings, alike for a declared schedule and for a schedule in Temporal.
import { dayOf, formatDay, formatDays, startOfDay } from '../../language/calendar/days.ts';
import { daysOfCalendars } from '../../language/calendar/excepted-days.ts';
import { type CronTimes, weekdayNames } from '../../language/cron.ts';
import { computeShortSha256 } from '../../language/hash.ts';
import { formatCount } from '../../plan/helpers/format-count.ts';
import { formatFirst } from '../../plan/helpers/format-first.ts';
import type { CalendarFile, KnownDays } from './calendars.ts';

export interface DayTimes extends KnownDays {
  startAtMs: number | null;
  skip: readonly CronTimes[];
  extra: readonly CronTimes[];
  instantsMs: readonly number[];
}

const maxShown = 8;

/** Returns strings by field name. Fields without a value are omitted. */
export function formatDayFacts(times: DayTimes): Record<string, string> {
  const { timezone, startAtMs, endAtMs, skip, extra, instantsMs, calendars, knownTo } = times;
  const { days, weekdays, others } = daysOfCalendars(skip);
  const excepted = weekdays.map((day) => weekdayNames[day] ?? '');
  const instants = instantsMs.toSorted((a, b) => a - b).map((ms) => new Date(ms).toISOString());
  const facts: [name: string, text: string][] = [
    ['from', startAtMs === null ? '' : formatFirstDay(startAtMs, timezone)],
    ['until', endAtMs === null ? '' : formatLastDay(endAtMs, timezone)],
    ['except', formatList([...excepted, ...formatDays([...days].sort((a, b) => a - b))])],
    ['calendars', calendars.map(formatCalendar).join('; ')],
    ['added', formatList([...extra.map(formatLocalTime).sort(), ...instants])],
    ['leftOut', formatList(others.map(formatLocalTime).sort())],
    ['computedTo', knownTo === null ? '' : formatDay(knownTo)],
  ];
  return Object.fromEntries(facts.filter(([, text]) => text !== ''));
}

function formatCalendar({ path, days, last, partial, sha256 }: CalendarFile): string {
  return [
    `${path}: ${formatCount(days, 'day')}`,
    ...(last === null ? [] : [`ends ${last}`]),
    ...(partial === 0 ? [] : [`${formatCount(partial, 'event')} of part of a day left out`]),
    `sha256 ${sha256.slice(0, 12)}`,
  ].join(', ');
}

/** Formats the first day, or the exact time if somebody has set a time other than the beginning of a day. */
function formatFirstDay(startAtMs: number, timezone: string): string {
  const day = dayOf(startAtMs, timezone);
  const isDay = startOfDay(day, timezone) === startAtMs;
  return isDay ? formatDay(day) : new Date(startAtMs).toISOString();
}

function formatLastDay(endAtMs: number, timezone: string): string {
  const day = dayOf(endAtMs, timezone);
  const isDay = startOfDay(day + 1, timezone) - 1000 === endAtMs;
  return isDay ? formatDay(day) : new Date(endAtMs).toISOString();
}

/** Formats a local time: `2027-01-04 01:00`. */
function formatLocalTime({ year, month, dayOfMonth, hour, minute, second }: CronTimes): string {
  const two = (values: readonly number[]) =>
    values.map((value) => String(value).padStart(2, '0')).join();
  const seconds = second.join() === '0' ? '' : `:${two(second)}`;
  return `${year.join()}-${two(month)}-${two(dayOfMonth)} ${two(hour)}:${two(minute)}${seconds}`;
}

/** Shortens a long list and adds a hash, so that a change in the omitted part is noticed. */
function formatList(texts: readonly string[]): string {
  const hash = () => computeShortSha256([...texts]).slice(0, 8);
  return formatFirst(texts, maxShown, () => `, … ${texts.length} in all (${hash()})`);
}
