// Starts in addition to those of cron expressions: on the next workday, and around changes of the clock.
import type { CronTimes } from '../cron.ts';
import { timesOfDay } from '../next-starts.ts';
import type { ClockChange } from './clock-changes.ts';
import { type Day, dayMs, formatDay } from './days.ts';
import { type ExcludedDays, isExcepted, isWorkday } from './excepted-days.ts';

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
 * Moves the starts of excepted days to the same time of the next workday, if both days are in the range. Leaves out
 * starts that the crons have anyway.
 */
export function moveToWorkdays(
  crons: readonly CronTimes[],
  excepted: ExcludedDays,
  { first, last }: DayRange,
): ExtraStart[] {
  const moved = new Map<number, ExtraStart>();
  for (let day = first; day <= last; day++) {
    if (!isExcepted(excepted, day)) continue;
    const times = timesOfDay(crons, day * dayMs);
    const target = times.length === 0 ? null : nextWorkday(excepted, day);
    if (target === null || target > last) continue;
    const regular = new Set(timesOfDay(crons, target * dayMs));
    for (const time of times) {
      const wallMs = target * dayMs + time;
      if (regular.has(time) || moved.has(wallMs)) continue;
      moved.set(wallMs, { times: exactly(wallMs), reason: `moved from ${formatDay(day)}` });
    }
  }
  return [...moved.values()];
}

function nextWorkday(excepted: ExcludedDays, after: Day): Day | null {
  for (let day = after + 1; day <= after + maxDaysAhead; day++) {
    if (isWorkday(excepted, day)) return day;
  }
  return null;
}

/** The start right after a time that a clock change skips; null if it skips no start, or if the crons start then. */
export function startAfterGap(
  crons: readonly CronTimes[],
  { atMs, beforeMs, afterMs }: ClockChange,
): ExtraStart | null {
  const gap = localTimesBetween(crons, atMs + beforeMs, atMs + afterMs);
  const [start] = localTimesBetween(crons, atMs + afterMs, atMs + afterMs + 1000);
  if (gap.length === 0 || start !== undefined) return null;
  return { times: exactly(atMs + afterMs), reason: 'after the missing hour' };
}

/** Local times that occur twice because of a change, each with both of its instants. */
export function repeatedTimes(
  crons: readonly CronTimes[],
  { atMs, beforeMs, afterMs }: ClockChange,
): { times: CronTimes; firstMs: number; secondMs: number }[] {
  return localTimesBetween(crons, atMs + afterMs, atMs + beforeMs).map((wallMs) => ({
    times: exactly(wallMs),
    firstMs: wallMs - beforeMs,
    secondMs: wallMs - afterMs,
  }));
}

function localTimesBetween(crons: readonly CronTimes[], fromMs: number, toMs: number): number[] {
  const times: number[] = [];
  for (let dayAt = Math.floor(fromMs / dayMs) * dayMs; dayAt < toMs; dayAt += dayMs) {
    times.push(...timesOfDay(crons, dayAt).map((time) => dayAt + time));
  }
  return times.filter((wallMs) => wallMs >= fromMs && wallMs < toMs);
}

function exactly(wallMs: number): CronTimes {
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
