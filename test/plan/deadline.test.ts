// Tests when a run should have ended, and whether its pace is sufficient.
import { describe, expect, test } from 'vitest';
import { computeDueAtMs, estimateEndAtMs, lateRunOf } from '../../src/plan/deadline.ts';
import { createTotals, type StepCount, type StepFigures } from '../../src/plan/shard/totals.ts';
import type { Deadline } from '../../src/plan/types.ts';

const berlin = (at: number): Deadline => ({ at, timezone: 'Europe/Berlin' });

describe('the deadline of a run', () => {
  test.each<[string, Deadline, string, string]>([
    [
      'a time after the start',
      { withinMs: 4 * 3_600_000 },
      '2026-11-27T01:00Z',
      '2026-11-27T05:00Z',
    ],
    ['a time on the same day', berlin(360), '2026-11-27T00:00Z', '2026-11-27T05:00Z'],
    ['a time on the next day', berlin(360), '2026-11-27T22:00Z', '2026-11-28T05:00Z'],
    ['never the start itself', berlin(360), '2026-11-27T05:00Z', '2026-11-28T05:00Z'],
    ['on the local day, not on that of UTC', berlin(60), '2026-11-26T23:30Z', '2026-11-27T00:00Z'],
    [
      'correct after the clocks went forward',
      berlin(360),
      '2026-03-28T23:30Z',
      '2026-03-29T04:00Z',
    ],
    ['correct after the clocks went back', berlin(360), '2026-10-24T22:30Z', '2026-10-25T05:00Z'],
    ['in UTC', { at: 0, timezone: 'UTC' }, '2028-02-28T12:00Z', '2028-02-29T00:00Z'],
  ])('the deadline is %s', (_what, deadline, start, due) => {
    expect(computeDueAtMs(deadline, Date.parse(start))).toBe(Date.parse(due));
  });
});

const step = (done: number, waiting = 0, running = 0) => ({ done, waiting, running, failed: 0 });

describe('the expected end of a run', () => {
  const times = { startedAtMs: 0, nowMs: 1_000 };
  const endOf = (figures: StepFigures) => {
    const steps = figures.openShards[0]?.lastReport.steps ?? {};
    const found = estimateEndAtMs({ ...figures, steps }, ['first', 'second'], times);
    return found === null ? null : Math.round(found);
  };

  test.each<[string, number, number | number[], StepCount, StepCount, number | null]>([
    ['is unknown before any step is done', 10, 0, step(0, 10), step(0), null],
    ['follows from the pace if half of the steps are done', 10, 0, step(10), step(0, 10), 2_000],
    ['follows from the pace if a quarter is done', 10, 0, step(5, 5), step(0, 10), 4_000],
    ['is now if all assets have ended', 10, 10, step(10), step(10), 1_000],
    ['counts all steps of ended assets as done', 4, 2, step(4), step(2, 2), 1_333],
    [
      'does not count steps of skipped assets for others',
      10,
      [0, 6],
      step(6, 0, 4),
      step(6, 4),
      1_667,
    ],
    [
      'does not count steps of failed assets for others',
      10,
      [0, 0, 5],
      step(5, 5),
      { ...step(0, 5), failed: 5 },
      3_000,
    ],
  ])('the expected end %s', (_what, total, ended, first, second, endMs) => {
    const [complete = 0, skipped = 0, failed = 0] = [ended].flat();
    const totals = { total, complete, failed, skipped };
    expect(
      endOf({ totals, openShards: [{ lastReport: { totals, steps: { first, second } } }] }),
    ).toBe(endMs);
  });

  test('the expected end assumes that assets of shards without a report have all steps left', () => {
    const steps = { first: step(10), second: step(0, 10) };
    const totals = (total: number) => ({ ...createTotals(), total });
    const openShards = [
      { lastReport: { totals: totals(10), steps } },
      { lastReport: { totals: totals(5) } },
    ];
    // The first shard has 10 steps left, and each of the other 10 assets has 2.
    expect(endOf({ totals: totals(20), openShards })).toBe(4_000);
  });
});

test.each([
  [
    'lists the steps with assets, those with the most assets first',
    2,
    1,
    [
      ['shots', 2],
      ['look', 1],
    ],
  ],
  ['lists the first step that the assets of a paused run wait for', 0, 0, [['look', 2]]],
])('lateRunOf() %s', (_what, inShots, inLook, expected) => {
  const totals = { total: 10, complete: 3, failed: 1, skipped: 1 };
  // All assets in earlier steps also count as waiting for the delivery.
  const steps = { look: step(7, 2, inLook), shots: step(4, 3, inShots), deliver: step(3, 6) };
  const known = { dueAt: '2026-11-27T05:00Z', lateness: 'late' as const, expectedEnd: null };
  expect(lateRunOf({ totals, steps }, known)).toEqual({
    ...known,
    unfinished: 5,
    steps: expected.map(([name, assets]) => ({ step: name, assets })),
  });
});
