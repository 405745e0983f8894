// Compares the start times of a file's schedules with those that a test expects. Pure.

import {
  computedDays,
  scheduleDaysOf,
  startTimesOn,
} from '../../compile/schedule/schedule-days.ts';
import type { ScheduleDeclaration } from '../../compile/schedule.ts';
import type { Expect } from '../../compile/test-file/test-file.ts';
import { nextStarts } from '../../language/next-starts.ts';
import { parseMoment } from '../schedules/backfill.ts';
import { formatList, type Mismatch } from './check-expectations.ts';

const maxStarts = 1_000;

/** @throws RenderlineError if a time in the test cannot be parsed */
export function checkStarts(
  expected: NonNullable<Expect['starts']>,
  schedules: readonly ScheduleDeclaration[],
): Mismatch[] {
  const { schedule: name, from, to, at } = expected;
  const declared = schedules.find((one) => name === undefined || one.name === name);
  if (declared === undefined) {
    const known = formatList(schedules.map((one) => one.name ?? 'one without a name'));
    const path = ['starts', 'schedule'];
    return [{ path, expected: name ?? 'a schedule', got: known === '' ? 'none' : known }];
  }
  const { timezone } = declared;
  const moment = (text: string) => parseMoment('expect.starts', text, timezone);
  const [fromMs, toMs] = [moment(from), moment(to)];
  const starts: number[] = [];
  // Tests read no files, so the days of calendars (.ics) count as ordinary days.
  const times = startTimesOn(declared, scheduleDaysOf(declared, [], computedDays(fromMs)));
  for (const startMs of nextStarts(times, fromMs - 1)) {
    if (startMs >= toMs || starts.length === maxStarts) break;
    starts.push(startMs);
  }
  const expectedMs = at.map(moment);
  const missing = at.flatMap((text, index) =>
    starts.includes(expectedMs[index] ?? 0)
      ? []
      : [{ path: ['starts', 'at', index], expected: text, got: 'no start then' }],
  );
  const others = starts.filter((startMs) => !expectedMs.includes(startMs));
  if (others.length === 0) return missing;
  const got = `also ${formatList(others.map((ms) => new Date(ms).toISOString()))}`;
  return [...missing, { path: ['starts', 'at'], expected: `only ${at.length}`, got }];
}
