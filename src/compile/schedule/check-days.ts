// Checks the days of a schedule: its season, its exceptions, and the days on which the clock changes.
import { type Day, formatDay, parseDay } from '../../language/calendar/days.ts';
import { calendarsOfDays } from '../../language/calendar/excepted-days.ts';
import type { DayRange } from '../../language/calendar/extra-starts.ts';
import { parseWeekday, weekdayNames } from '../../language/cron.ts';
import { listNextStarts } from '../../language/next-starts.ts';
import type { ProblemCode } from '../../language/problem-codes.ts';
import { findTimeZoneProblem } from '../../language/time-zone.ts';
import { type Exceptions, type ScheduleDeclaration, startTimesOf } from '../schedule.ts';
import type { Schedule } from '../schedule-fields.ts';
import type { LocatedDocument, Path } from '../yaml/document.ts';
import type { Parameters } from '../yaml/parameters.ts';
import { formatPath } from '../yaml/shape.ts';
import { seasonOf } from './schedule-days.ts';

export interface ScheduleScope {
  document: LocatedDocument;
  parameters: Parameters;
  /** Path of the schedule: `schedule`, or one entry of it. */
  basePath: Path;
}

type DeclaredDays = Pick<
  ScheduleDeclaration,
  'from' | 'until' | 'except' | 'onExcept' | 'clockChange'
>;

const maxDays = 4_000;
/** Maximum number of calendars. It is limited because the memo of every scheduled run contains them. */
const maxCalendars = 5;

export function checkDays(schedule: Schedule, scope: ScheduleScope): DeclaredDays {
  const { document, basePath } = scope;
  const from = readDay(schedule.from, ['from'], scope);
  const until = readDay(schedule.until, ['until'], scope);
  if (from !== null && until !== null && until < from) {
    const message = `${formatPath([...basePath, 'until'])} is before \`from\``;
    document.error('RL708', [...basePath, 'until'], message, 'Swap the two days.');
  }
  const except = readExceptions(schedule.except ?? [], scope);
  const refuse = (field: string, message: string, hint: string) => {
    if (document.has([...basePath, field]))
      document.errorAtKey('RL703', [...basePath, field], message, hint);
  };
  if (schedule.except === undefined)
    refuse(
      'onExcept',
      '`onExcept` needs `except`',
      'Remove `onExcept`, or list the days under `except:`.',
    );
  else if (schedule.every !== undefined && schedule.onExcept !== 'skip') {
    const message = '`next_workday` is for `cron`, whose starts have a time of day';
    refuse('onExcept', message, 'Remove `onExcept`.');
  }
  if (schedule.every !== undefined)
    refuse(
      'clockChange',
      '`clockChange` is for `cron`; an interval counts in UTC',
      'Remove `clockChange`.',
    );
  const { onExcept, clockChange = null } = schedule;
  return { from, until, except, onExcept, clockChange };
}

function readDay(text: string | undefined, field: Path, scope: ScheduleScope): Day | null {
  // A parameter in place of a day is skipped, because the check of interpolations has already reported it.
  if (text === undefined || text.includes('${{')) return null;
  const day = parseDay(text.trim());
  if (day === null) reportDay(text, field, scope);
  return day;
}

function reportDay(text: string, field: Path, { document, basePath }: ScheduleScope): void {
  const path = [...basePath, ...field];
  const meantDay = parseOtherForms(text.trim());
  const hint =
    meantDay === null ? 'Write the day as 2026-12-24.' : `Did you mean ${formatDay(meantDay)}?`;
  const message = `${formatPath(path)}: "${text}" is not a date between 2000 and 2100`;
  document.error('RL708', path, message, hint);
}

/** Reads a day in other common forms. Returns null for all others, such as 12/24/2026, which may be ambiguous. */
function parseOtherForms(text: string): Day | null {
  const [, date = '', month = '', year = ''] =
    /^(\d{1,2})\. ?(\d{1,2})\. ?(\d{4})$/.exec(text) ?? [];
  const [, y = year, m = month, d = date] =
    /^(\d{4})[/.-]?(\d{1,2})[/.-]?(\d{1,2})$/.exec(text) ?? [];
  return parseDay(`${y}-${m.padStart(2, '0')}-${d.padStart(2, '0')}`);
}

function readExceptions(
  entries: NonNullable<Schedule['except']>,
  scope: ScheduleScope,
): Exceptions {
  const ranges: DayRange[] = [];
  const weekdays = new Set<number>();
  const calendars: { connector: string; path: string }[] = [];
  for (const [index, entry] of entries.entries()) {
    const path: Path = ['except', index];
    if (typeof entry !== 'string') {
      calendars.push(entry);
      continue;
    }
    const weekday = parseWeekday(entry);
    if (weekday !== null) weekdays.add(weekday);
    else ranges.push(...readRange(entry, path, scope));
  }
  const days = listDays(ranges);
  const refuse = (code: ProblemCode, message: string, hint: string) =>
    scope.document.errorAtKey(code, [...scope.basePath, 'except'], message, hint);
  if (weekdays.size === weekdayNames.length)
    refuse('RL704', '`except` lists every day of the week', 'Remove at least one day.');
  if (days.length > maxDays) {
    const message = `\`except\` lists ${days.length} days; the maximum is ${maxDays}`;
    refuse('RL708', message, 'Use `from` and `until` for a season.');
  }
  if (calendars.length > maxCalendars) {
    const message = `\`except\` lists ${calendars.length} calendars; the maximum is ${maxCalendars}`;
    refuse('RL204', message, 'Combine the calendars in one file.');
  }
  return { days, weekdays: [...weekdays].sort((a, b) => a - b), calendars };
}

/** Lists the days of ranges in order. Takes no longer if many ranges contain the same days. */
function listDays(ranges: readonly DayRange[]): Day[] {
  const days: Day[] = [];
  for (const { first, last } of ranges.toSorted((a, b) => a.first - b.first)) {
    const next = (days.at(-1) ?? first - 1) + 1;
    for (let day = Math.max(first, next); day <= last; day++) days.push(day);
  }
  return days;
}

/** Reads a range or a single day: `2026-12-24..2026-12-26` or `2026-12-24`. Empty if it is invalid. */
function readRange(text: string, path: Path, scope: ScheduleScope): DayRange[] {
  if (text.includes('${{')) return [];
  const [firstText = '', lastText = firstText, ...more] = text.split('..');
  const first = parseDay(firstText.trim());
  const last = parseDay(lastText.trim());
  if (first === null || last === null || more.length > 0) {
    const wrong = first === null ? firstText : last === null ? lastText : text;
    reportDay(wrong, path, scope);
    return [];
  }
  const { document, basePath } = scope;
  if (last < first) {
    const hint = `Write ${formatDay(last)}..${formatDay(first)}.`;
    const message = `${formatPath([...basePath, ...path])}: the range ends before it starts`;
    document.error('RL708', [...basePath, ...path], message, hint);
  }
  return [{ first, last }];
}

/** Reports a schedule without starts. In a valid file, only `until` and excluded days of the week can cause this. */
export function reportEmptySeason(declaration: ScheduleDeclaration, scope: ScheduleScope): void {
  const { from, until, except, timezone } = declaration;
  const { document, basePath } = scope;
  const isUnknown = document.findings.errorCount > 0 || findTimeZoneProblem(timezone) !== null;
  if (isUnknown || (until === null && except.weekdays.length === 0)) return;
  if (hasStart(declaration)) return;
  const season = [
    ...(from === null ? [] : [` from ${formatDay(from)}`]),
    ...(until === null ? [] : [` until ${formatDay(until)}`]),
  ].join('');
  const message = `the schedule has no start${season} outside the excluded days`;
  document.errorAtKey(
    'RL704',
    [...basePath, until === null ? 'except' : 'until'],
    message,
    'Correct the days, or the times.',
  );
}

function hasStart(declaration: ScheduleDeclaration): boolean {
  const { except, onExcept } = declaration;
  // `next_workday` moves starts to other days, so excluded days remove no starts.
  const skip =
    onExcept === 'skip' ? calendarsOfDays({ ...except, days: new Set(except.days) }) : [];
  const times = { ...startTimesOf(declaration), ...seasonOf(declaration), skip };
  return listNextStarts(times, 0).next().done !== true;
}
