// When a schedule starts: Temporal's rules, so that starts can be shown before there is a schedule.
import type { CronTimes } from './cron.ts';
import { zoneOffset } from './time-zone.ts';

/** Union of crons and an interval; times before jitter. */
export interface StartTimes {
  crons: readonly CronTimes[];
  timezone: string;
  interval: { everyMs: number; offsetMs: number } | null;
}

const dayMs = 86_400_000;
/** The last year that Temporal's calendars know. */
const lastYear = 2100;

/** Instants after `afterMs` in order, without end where the schedule has none. */
export function* nextStarts(times: StartTimes, afterMs: number): Generator<number> {
  const streams = [
    ...times.crons.map((cron) => cronStarts(cron, times.timezone, afterMs)),
    ...(times.interval === null ? [] : [intervalStarts(times.interval, afterMs)]),
  ].map((stream) => ({ stream, head: stream.next() }));
  for (let last = afterMs; ; ) {
    const heads = streams.flatMap(({ head }) => (head.done === true ? [] : [head.value]));
    if (heads.length === 0) return;
    const soonest = Math.min(...heads);
    // Two expressions that name one instant make one start.
    if (soonest > last) yield soonest;
    last = soonest;
    for (const one of streams) {
      if (one.head.done !== true && one.head.value === soonest) one.head = one.stream.next();
    }
  }
}

/** Intervals count from 1970, whatever day they are applied on. */
function* intervalStarts(
  { everyMs, offsetMs }: { everyMs: number; offsetMs: number },
  afterMs: number,
): Generator<number> {
  const passed = Math.floor((afterMs - offsetMs) / everyMs);
  for (let at = (passed + 1) * everyMs + offsetMs; ; at += everyMs) yield at;
}

/**
 * Matches the clock on the wall to the letter: a time that a day skips starts nothing on that day, one that
 * it has twice starts twice.
 */
function* cronStarts(cron: CronTimes, timezone: string, afterMs: number): Generator<number> {
  const offsetAt = zoneOffset(timezone);
  const first = new Date(afterMs + offsetAt(afterMs));
  let dayAt = Date.UTC(first.getUTCFullYear(), first.getUTCMonth(), first.getUTCDate());
  for (; new Date(dayAt).getUTCFullYear() <= lastYear; dayAt += dayMs) {
    if (!isDayOf(cron, new Date(dayAt))) continue;
    const noon = dayAt + dayMs / 2 - offsetAt(dayAt);
    const offsets = new Set([offsetAt(noon - dayMs), offsetAt(noon + dayMs)]);
    for (const offset of offsets) {
      // On a day when the clock changes, starts before the change come first.
      for (const wallMs of timesOfDay(cron, dayAt)) {
        const instant = wallMs - offset;
        if (instant > afterMs && (offsets.size === 1 || offsetAt(instant) === offset))
          yield instant;
      }
    }
  }
}

function isDayOf({ year, month, dayOfMonth, dayOfWeek }: CronTimes, day: Date): boolean {
  return (
    month.includes(day.getUTCMonth() + 1) &&
    dayOfMonth.includes(day.getUTCDate()) &&
    dayOfWeek.includes(day.getUTCDay()) &&
    (year.length === 0 || year.includes(day.getUTCFullYear()))
  );
}

function* timesOfDay({ hour, minute, second }: CronTimes, dayAt: number): Generator<number> {
  for (const h of hour) {
    for (const m of minute) {
      for (const s of second) yield dayAt + ((h * 60 + m) * 60 + s) * 1000;
    }
  }
}
