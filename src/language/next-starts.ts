// Computes when a schedule starts, by Temporal's rules, so that starts can be shown before the schedule exists.

import { createZoneOffset, instantOf } from '../plan/helpers/zone-offset.ts';
import { type CronTimes, isWholeDay } from './cron.ts';

/** Counts from 1970, no matter when the schedule is applied. */
export interface Interval {
  everyMs: number;
  offsetMs: number;
}

/** Union of crons, intervals and single instants, before jitter. */
export interface StartTimes {
  crons: readonly CronTimes[];
  timezone: string;
  intervals?: readonly Interval[];
  /** Single starts, in whole seconds. */
  instantsMs?: readonly number[];
  /** Local times at which nothing starts. */
  skip?: readonly CronTimes[];
  /** The first and last possible starts. Null means no limit. */
  startAtMs?: number | null;
  endAtMs?: number | null;
}

const dayMs = 86_400_000;
const hourMs = 3_600_000;
/** The last year of Temporal's calendars. */
const lastYear = 2100;
/** Bounds the work if nearly all starts are skipped. */
const maxSkipped = 40_000;

/**
 * Yields instants after `afterMs` in order, endlessly unless the schedule ends or skips 40,000 times in a row. A day
 * that is skipped as a whole counts once. Otherwise, each instant is computed from the previous one, as on the server,
 * because on days of a clock change the result depends on it.
 */
export function* listNextStarts(times: StartTimes, afterMs: number): Generator<number> {
  const { crons, timezone, intervals = [], instantsMs = [], skip = [] } = times;
  const { startAtMs, endAtMs } = times;
  const offsetAt = createZoneOffset(timezone);
  let skippedCount = 0;
  let last = Math.max(afterMs, (startAtMs ?? -Infinity) - 1000);
  while (skippedCount < maxSkipped) {
    const heads = [
      ...crons.map((cron) => nextOfCron(cron, offsetAt, last)),
      ...intervals.map((interval) => nextOfInterval(interval, last)),
      ...instantsMs.filter((instant) => instant > last),
    ].filter((head) => head !== null);
    if (heads.length === 0) return;
    // Two expressions with the same instant create one start.
    last = Math.min(...heads);
    if (last > (endAtMs ?? Infinity)) return;
    const wall = new Date(last + offsetAt(last));
    const skipped = skip.find((cron) => isTimeOf(cron, wall));
    skippedCount = skipped ? skippedCount + 1 : 0;
    if (skipped === undefined) yield last;
    else if (isWholeDay(skipped)) last = Math.max(last, lastSecondOfDay(wall, offsetAt));
  }
}

/** Returns the last instant before the next day starts, in whole seconds. */
function lastSecondOfDay(wall: Date, offsetAt: (instantMs: number) => number): number {
  const nextDayAt = (Math.floor(wall.getTime() / dayMs) + 1) * dayMs;
  const nextMs = instantOf(nextDayAt, offsetAt);
  // If the clock goes back at one o'clock, the next day starts twice, and `nextMs` may be the second time.
  const isRepeated = nextMs - hourMs + offsetAt(nextMs - hourMs) >= nextDayAt;
  return nextMs - (isRepeated ? hourMs : 0) - 1000;
}

/** Returns the local times of a day that match crons, in milliseconds since the day started, sorted. */
export function timesOfDay(crons: readonly CronTimes[], dayAt: number): number[] {
  const day = new Date(dayAt);
  const times = crons
    .filter((cron) => isDayOf(cron, day) && cron.dayOfWeek.includes(day.getUTCDay()))
    .flatMap((cron) => cron.hour.flatMap((hour) => timesOfHour(cron, hour * hourMs)));
  return [...new Set(times)].sort((a, b) => a - b);
}

function nextOfInterval({ everyMs, offsetMs }: Interval, afterMs: number): number {
  return (Math.floor((afterMs - offsetMs) / everyMs) + 1) * everyMs + offsetMs;
}

/**
 * Returns the first start after an instant, as the server's calendar computes it, or null if there is none. A time that
 * is skipped on a day starts nothing. If a time occurs twice on a day, the server starts both west of Greenwich. East
 * of Greenwich it mistakes the hour before for the repeated one, and thus omits one of the two.
 */
function nextOfCron(
  cron: CronTimes,
  offsetAt: (instantMs: number) => number,
  afterMs: number,
): number | null {
  const wallOf = (instantMs: number) => instantMs + offsetAt(instantMs);
  const nowMs = wallOf(afterMs);
  const today = Math.floor(nowMs / dayMs) * dayMs;
  const thisHour = Math.floor(nowMs / hourMs) * hourMs;
  for (let dayAt = today; new Date(dayAt).getUTCFullYear() <= lastYear; dayAt += dayMs) {
    if (!isDayOf(cron, new Date(dayAt))) continue;
    // If a clock change skips the midnight of a day, the weekday of the day before applies.
    const effectiveDayAt = dayAt === today ? dayAt : wallOf(instantOf(dayAt, offsetAt));
    if (!cron.dayOfWeek.includes(new Date(effectiveDayAt).getUTCDay())) continue;
    const hours = cron.hour.map((hour) => dayAt + hour * hourMs);
    for (const hourAt of hours.filter((hour) => hour >= thisHour)) {
      const isNow = hourAt === thisHour;
      const isSecond = isNow && Math.floor(wallOf(afterMs - hourMs) / hourMs) * hourMs === hourAt;
      const first = findTimeOfHour(cron, hourAt, isNow ? nowMs : hourAt - 1);
      if (first !== undefined) {
        const instant = instantOf(first, offsetAt);
        const exists = new Date(wallOf(instant)).getUTCHours() === new Date(first).getUTCHours();
        if (exists) return instant + (isSecond ? hourMs : 0);
      }
      const firstTime = findTimeOfHour(cron, hourAt, hourAt - 1);
      const untilNext = instantOf(hourAt + hourMs, offsetAt) - instantOf(hourAt, offsetAt);
      if (firstTime !== undefined && !isSecond && untilNext > hourMs)
        return instantOf(firstTime, offsetAt) + hourMs;
    }
  }
  return null;
}

function isDayOf({ year, month, dayOfMonth }: CronTimes, day: Date): boolean {
  return (
    month.includes(day.getUTCMonth() + 1) &&
    dayOfMonth.includes(day.getUTCDate()) &&
    (year.length === 0 || year.includes(day.getUTCFullYear()))
  );
}

function isTimeOf(times: CronTimes, wall: Date): boolean {
  return (
    isDayOf(times, wall) &&
    times.dayOfWeek.includes(wall.getUTCDay()) &&
    times.hour.includes(wall.getUTCHours()) &&
    times.minute.includes(wall.getUTCMinutes()) &&
    times.second.includes(wall.getUTCSeconds())
  );
}

/** Returns the first time of an hour after another time. Undefined if there is none. */
function findTimeOfHour(
  { minute, second }: CronTimes,
  hourAt: number,
  afterMs: number,
): number | undefined {
  const [firstSecond = 0] = second;
  for (const m of minute) {
    const minuteAt = hourAt + m * 60_000;
    const found =
      minuteAt > afterMs ? firstSecond : second.find((s) => minuteAt + s * 1000 > afterMs);
    if (found !== undefined) return minuteAt + found * 1000;
  }
  return undefined;
}

function timesOfHour({ minute, second }: CronTimes, hourAt: number): number[] {
  return minute.flatMap((m) => second.map((s) => hourAt + (m * 60 + s) * 1000));
}
