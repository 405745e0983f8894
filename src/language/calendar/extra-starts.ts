// Starts in addition to those of cron expressions: on the next workday, and around clock changes.
import type { CronTimes } from '../cron.ts';
import { timesOfDay } from '../next-starts.ts';
import type { ClockChange } from './clock-changes.ts';
import { type Day, dayMs, formatDay } from './days.ts';
import { type ExcludedDays, isExceptedDay, isWorkday } from './excepted-days.ts';

export interface ExtraStart {
  /** A cron form that matches exactly one local time. */
  times: CronTimes;
  reason: string;
}

export interface DayRange {
  first: Day;
  last: Day;
}

const maxDaysAhead = 366;

/**
 * Moves the starts of excepted days to the same time of the next workday, if both days are in the range. Omits starts
 * that the crons produce anyway.
 */
export function moveToWorkdays(
  crons: readonly CronTimes[],
  excepted: ExcludedDays,
  { first, last }: DayRange,
): ExtraStart[] {
  const movedStarts = new Map<number, ExtraStart>();
  for (let day = first; day <= last; day++) {
    if (!isExceptedDay(excepted, day)) continue;
    const times = timesOfDay(crons, day * dayMs);
    const target = times.length === 0 ? null : findNextWorkday(excepted, day);
    if (target === null || target > last) continue;
    const regular = new Set(timesOfDay(crons, target * dayMs));
    for (const time of times) {
      const wallMs = target * dayMs + time;
      if (regular.has(time) || movedStarts.has(wallMs)) continue;
      movedStarts.set(wallMs, {
        times: exactTimeOf(wallMs),
        reason: `moved from ${formatDay(day)}`,
      });
    }
  }
  return [...movedStarts.values()];
}

function findNextWorkday(excepted: ExcludedDays, after: Day): Day | null {
  for (let day = after + 1; day <= after + maxDaysAhead; day++) {
    if (isWorkday(excepted, day)) return day;
  }
  return null;
}

/** Returns the start after a time that a clock change skips. Null if it skips no start, or if the crons start then. */
export function startAfterGap(
  crons: readonly CronTimes[],
  { atMs, offsetBeforeMs, offsetAfterMs }: ClockChange,
): ExtraStart | null {
  const gap = listLocalTimes(crons, atMs + offsetBeforeMs, atMs + offsetAfterMs);
  const [start] = listLocalTimes(crons, atMs + offsetAfterMs, atMs + offsetAfterMs + 1000);
  if (gap.length === 0 || start !== undefined) return null;
  return {
    times: exactTimeOf(atMs + offsetAfterMs),
    reason: 'after the hour that the clock change skips',
  };
}

/** Finds local times that occur twice because of a change, each with both of its instants. */
export function findRepeatedTimes(
  crons: readonly CronTimes[],
  { atMs, offsetBeforeMs, offsetAfterMs }: ClockChange,
): { times: CronTimes; firstMs: number; secondMs: number }[] {
  return listLocalTimes(crons, atMs + offsetAfterMs, atMs + offsetBeforeMs).map((wallMs) => ({
    times: exactTimeOf(wallMs),
    firstMs: wallMs - offsetBeforeMs,
    secondMs: wallMs - offsetAfterMs,
  }));
}

function listLocalTimes(crons: readonly CronTimes[], fromMs: number, toMs: number): number[] {
  const times: number[] = [];
  for (let dayAt = Math.floor(fromMs / dayMs) * dayMs; dayAt < toMs; dayAt += dayMs) {
    times.push(...timesOfDay(crons, dayAt).map((time) => dayAt + time));
  }
  return times.filter((wallMs) => wallMs >= fromMs && wallMs < toMs);
}

function exactTimeOf(wallMs: number): CronTimes {
  const wall = new Date(wallMs);
  return {
    second: [wall.getUTCSeconds()],
    minute: [wall.getUTCMinutes()],
    hour: [wall.getUTCHours()],
    dayOfMonth: [wall.getUTCDate()],
    month: [wall.getUTCMonth() + 1],
    year: [wall.getUTCFullYear()],
    dayOfWeek: [0, 1, 2, 3, 4, 5, 6],
  };
}
