// Finds when the clock of a time zone changes.
import { createZoneOffset } from '../../plan/helpers/zone-offset.ts';
import { dayMs } from './days.ts';

export interface ClockChange {
  atMs: number;
  /** How far local time is ahead of UTC, in milliseconds, before and after the change. */
  offsetBeforeMs: number;
  offsetAfterMs: number;
}

/** Finds changes between two instants or up to a day after the second, in order. Assumes at most one change per day. */
export function findClockChanges(timezone: string, fromMs: number, toMs: number): ClockChange[] {
  const offsetAt = createZoneOffset(timezone);
  const changes: ClockChange[] = [];
  for (let start = fromMs; start < toMs; start += dayMs) {
    const beforeMs = offsetAt(start);
    const afterMs = offsetAt(start + dayMs);
    if (beforeMs === afterMs) continue;
    let [low, high] = [start, start + dayMs];
    while (high - low > 1000) {
      const middle = Math.floor((low + high) / 2000) * 1000;
      if (offsetAt(middle) === beforeMs) low = middle;
      else high = middle;
    }
    changes.push({ atMs: high, offsetBeforeMs: beforeMs, offsetAfterMs: afterMs });
  }
  return changes;
}
