// Facts about a schedule in Temporal, whose times may have been changed in the Temporal UI.
import type { ScheduleDescription } from '@temporalio/client';
import { expect, it } from 'vitest';
import {
  formatLiveFacts,
  formatLiveTimes,
  startTimesOf,
} from '../../../src/app/schedules/schedule-facts.ts';
import { listNextStarts } from '../../../src/language/next-starts.ts';

const hourMs = 3_600_000;
const minuteMs = 60_000;

const changedTo = (spec: object) =>
  // Only these fields are read.
  ({
    spec,
    action: { taskQueue: 'q', args: [] },
    policies: { catchupWindow: 0 },
    state: { paused: false },
  }) as unknown as ScheduleDescription;

const several = changedTo({
  timezone: '',
  intervals: [
    // The SDK returns no number if there is no offset.
    { every: 2 * hourMs, offset: Number.NaN },
    { every: 3 * hourMs, offset: 5 * minuteMs },
  ],
});

it('the next starts follow all intervals of a schedule', () => {
  const starts = listNextStarts(startTimesOf(several), Date.UTC(2026, 10, 27) - 1);
  const firstStarts = Array.from({ length: 5 }, () => starts.next().value ?? 0);
  expect(firstStarts.map((ms) => new Date(ms).toISOString().slice(11, 16))).toEqual([
    '00:00',
    '00:05',
    '02:00',
    '03:05',
    '04:00',
  ]);
});

it('all intervals are shown', () => {
  expect(formatLiveTimes(several)).toBe('every 2h and every 3h from 5m');
  expect(formatLiveFacts(several)).toMatchObject({ every: '2h and 3h', offset: '0s and 5m' });
});
