// The days of a schedule as Temporal's calendars: season, excluded days, and extra starts that no cron expresses.
import { findClockChanges } from '../../language/calendar/clock-changes.ts';
import { type Day, dayMs, dayOf, formatDay, startOfDay } from '../../language/calendar/days.ts';
import {
  calendarsOfDays,
  type ExcludedDays,
  isExceptedDay,
} from '../../language/calendar/excepted-days.ts';
import {
  type DayRange,
  type ExtraStart,
  findRepeatedTimes,
  moveToWorkdays,
  startAfterGap,
} from '../../language/calendar/extra-starts.ts';
import type { CronTimes } from '../../language/cron.ts';
import type { StartTimes } from '../../language/next-starts.ts';
import { cronsOf, type ScheduleDeclaration, startTimesOf } from '../schedule.ts';

export interface ScheduleDays {
  /** First and last instant of the season. Null for no limit. */
  startAtMs: number | null;
  endAtMs: number | null;
  /**
   * Excluded days, and local times that occur twice when the clock goes back, if `clockChange.twice` is `once`. A
   * single start in `instantsMs` replaces each of the latter.
   */
  skip: readonly CronTimes[];
  extra: readonly ExtraStart[];
  /** Single starts whose local time occurs twice. */
  instantsMs: readonly number[];
  /** Last day for which calendars, moved starts and clock changes are computed. Null if none are computed ahead. */
  knownTo: Day | null;
}

/** Thrown for days that Temporal cannot schedule. The message states the field and the fix. */
export class ScheduleDaysError extends Error {
  override name = 'ScheduleDaysError';
}

const maxExtraStarts = 400;
const maxRepeatedTimes = 60;
/** Temporal computes the starts of excluded days one after another, within one workflow task. */
const maxSkippedStarts = 50_000;

/**
 * Returns the days for which calendars, moved starts and clock changes are computed: from the first of last year, for
 * `backfill`, to the end of the year after next. The result is the same all year, so applying again changes nothing.
 */
export function computeDays(nowMs: number): DayRange {
  const year = new Date(nowMs).getUTCFullYear();
  return { first: Date.UTC(year - 1, 0, 1) / dayMs, last: Date.UTC(year + 2, 11, 31) / dayMs };
}

/** Computes season, excluded days and extra starts. @param holidays from the .ics files @throws ScheduleDaysError */
export function toScheduleDays(
  declaration: ScheduleDeclaration,
  holidays: Iterable<Day>,
  computed: DayRange,
): ScheduleDays {
  const { from, until, except, onExcept, clockChange } = declaration;
  const excepted = { days: new Set([...except.days, ...holidays]), weekdays: except.weekdays };
  const crons = cronsOf(declaration);
  const season = {
    first: Math.max(computed.first, from ?? computed.first),
    last: Math.min(computed.last, until ?? computed.last),
  };
  assertFewSkippedTimes(declaration, crons, excepted, season);
  const movedStarts = onExcept === 'skip' ? [] : moveToWorkdays(crons, excepted, season);
  if (movedStarts.length > maxExtraStarts) {
    throw new ScheduleDaysError(
      `\`onExcept: next_workday\` moves ${movedStarts.length} starts until ${formatDay(season.last)}; the maximum is ${maxExtraStarts}. Use \`onExcept: skip\`, or fewer starts.`,
    );
  }
  const onChanges = findClockChangeStarts(declaration, crons, movedStarts, excepted, season);
  const isComputed = except.calendars.length > 0 || onExcept !== 'skip' || clockChange !== null;
  return {
    ...seasonOf(declaration),
    skip: [...calendarsOfDays(excepted), ...onChanges.skip],
    extra: [...movedStarts, ...onChanges.extra],
    instantsMs: onChanges.instantsMs,
    knownTo: isComputed ? computed.last : null,
  };
}

/** Returns the instants between which a schedule starts runs. Both days are included. */
export function seasonOf(
  declaration: ScheduleDeclaration,
): Pick<ScheduleDays, 'startAtMs' | 'endAtMs'> {
  const { from, until, timezone } = declaration;
  return {
    startAtMs: from === null ? null : startOfDay(from, timezone),
    endAtMs: until === null ? null : startOfDay(until + 1, timezone) - 1000,
  };
}

/** Returns the start times of a declaration, with its season, excluded days and extra starts. */
export function startTimesOn(declaration: ScheduleDeclaration, days: ScheduleDays): StartTimes {
  const { crons, ...others } = startTimesOf(declaration);
  const { startAtMs, endAtMs, skip, instantsMs } = days;
  const extra = days.extra.map(({ times }) => times);
  return { ...others, crons: [...crons, ...extra], startAtMs, endAtMs, skip, instantsMs };
}

function findClockChangeStarts(
  { clockChange, timezone }: ScheduleDeclaration,
  crons: readonly CronTimes[],
  movedStarts: readonly ExtraStart[],
  excepted: ExcludedDays,
  season: DayRange,
): Pick<ScheduleDays, 'skip' | 'extra' | 'instantsMs'> {
  const skip: CronTimes[] = [];
  const extra: ExtraStart[] = [];
  const instantsMs: number[] = [];
  if (clockChange === null) return { skip, extra, instantsMs };
  const { missing, twice } = clockChange;
  const allTimes = [...crons, ...movedStarts.map(({ times }) => times)];
  const fromMs = startOfDay(season.first, timezone);
  const toMs = startOfDay(season.last + 1, timezone);
  for (const change of findClockChanges(timezone, fromMs, toMs)) {
    if (isExceptedDay(excepted, dayOf(change.atMs, timezone))) continue;
    assertOneHourChange(timezone, change.offsetAfterMs - change.offsetBeforeMs);
    const afterGap = missing === 'next' ? startAfterGap(allTimes, change) : null;
    if (afterGap !== null) extra.push(afterGap);
    const repeated = twice === undefined ? [] : findRepeatedTimes(allTimes, change);
    if (repeated.length > maxRepeatedTimes) {
      throw new ScheduleDaysError(
        `\`clockChange.twice\` supports at most ${maxRepeatedTimes} starts in the repeated hour; this schedule has ${repeated.length}. Remove \`twice\`.`,
      );
    }
    for (const { times, firstMs, secondMs } of repeated) {
      // An exclusion matches both occurrences of the time, so the single start of `once` is one second later.
      if (twice === 'once') skip.push(times);
      instantsMs.push(...(twice === 'once' ? [firstMs + 1000] : [firstMs, secondMs]));
    }
  }
  return { skip, extra, instantsMs };
}

/** Throws unless the clock changes by one hour. Otherwise, a bug in the server makes starts depend on earlier ones. */
function assertOneHourChange(timezone: string, differenceMs: number): void {
  if (Math.abs(differenceMs) === 3_600_000) return;
  throw new ScheduleDaysError(
    `\`clockChange\` supports only time zones whose clock changes by one hour; ${timezone} changes by ${Math.abs(differenceMs) / 60_000} minutes. Remove \`clockChange\`, and choose other hours.`,
  );
}

function assertFewSkippedTimes(
  { interval }: ScheduleDeclaration,
  crons: readonly CronTimes[],
  excepted: ExcludedDays,
  { first, last }: DayRange,
): void {
  const perDay = crons
    .map(({ hour, minute, second }) => hour.length * minute.length * second.length)
    .reduce((sum, count) => sum + count, interval === null ? 0 : dayMs / interval.everyMs);
  let longest = 0;
  for (let day = first, inARow = 0; day <= last; day++) {
    inARow = isExceptedDay(excepted, day) ? inARow + 1 : 0;
    longest = Math.max(longest, inARow);
  }
  if (perDay * longest <= maxSkippedStarts) return;
  const days = longest === 1 ? 'a day' : `${longest} consecutive days`;
  throw new ScheduleDaysError(
    `\`except\` excludes ${days} with ${Math.round(perDay)} starts${longest === 1 ? '' : ' each'}; Temporal skips at most ${maxSkippedStarts} starts. Use \`from\` and \`until\`, or fewer starts.`,
  );
}
