import { describe, expect, it, test } from 'vitest';
import { formatRemainingTime, RemainingTime } from '../../../src/app/runs/remaining-time.ts';

const listing = null;
/**
 * Progress of two steps with the given numbers of finished assets. Skipped assets have passed both steps, and failed
 * assets have passed none.
 */
function at(first: number, second: number, { skipped = 0, failed = 0 } = {}) {
  const count = (done: number) => {
    const waiting = 100 - skipped - failed - done;
    return { waiting, running: 0, done: done + skipped, failed };
  };
  const totals = { total: 100, complete: second, failed, skipped };
  const steps = { first: count(first), second: count(second) };
  return {
    state: 'running',
    totals,
    steps: Object.values(steps).map((one) => ({ count: one })),
    openShards: [{ lastReport: { totals, steps } }],
    listing,
  };
}

describe('the remaining time', () => {
  it('the remaining time follows from the pace so far', () => {
    const left = new RemainingTime();
    expect(left.estimate(at(0, 0), 0)).toBeNull();
    // The first 50 of 200 steps took 25 s, so the remaining 150 take 75 s.
    expect(left.estimate(at(40, 10), 25_000)).toBe(75_000);
  });

  it('the remaining time follows from the pace of the last minutes, not from that of the whole run', () => {
    const left = new RemainingTime();
    left.estimate(at(10, 0), 0);
    left.estimate(at(20, 0), 600_000);
    // The last 40 steps took 40 s, although the first 30 took ten minutes.
    expect(left.estimate(at(60, 0), 640_000)).toBe(140_000);
  });

  test.each([
    ['in the first ten seconds', at(40, 10), 5_000],
    ['before two percent are done', at(3, 0), 60_000],
    ['while the run is paused', { ...at(40, 10), state: 'paused' }, 60_000],
    [
      'while the source is still being listed',
      { ...at(40, 10), listing: 'listing: 10 so far' },
      60_000,
    ],
    ['without progress', at(0, 0), 60_000],
    ['when all is done', at(100, 100), 60_000],
  ])('the remaining time is unknown %s', (_when, look, nowMs) => {
    const left = new RemainingTime();
    left.estimate(at(0, 0), 0);
    expect(left.estimate(look, nowMs)).toBeNull();
  });

  it('the remaining time is unknown after a minute without progress, and known again afterwards', () => {
    const left = new RemainingTime();
    left.estimate(at(0, 0), 0);
    expect(left.estimate(at(40, 10), 25_000)).toBe(75_000);
    expect(left.estimate(at(40, 10), 80_000)).not.toBeNull();
    expect(left.estimate(at(40, 10), 85_000)).toBeNull();
    expect(left.estimate(at(40, 20), 90_000)).not.toBeNull();
  });

  it('the remaining time excludes skipped and failed assets', () => {
    const left = new RemainingTime();
    left.estimate(at(0, 0, { skipped: 30 }), 0);
    expect(left.estimate(at(40, 10, { skipped: 30, failed: 20 }), 25_000)).toBe(25_000);
  });
});

test.each([
  [800, 'about 5 s left'],
  [42_000, 'about 45 s left'],
  [240_000, 'about 4 min left'],
  [3_600_000, 'about 1 h left'],
  [5_400_000, 'about 1 h 30 min left'],
  [7_170_000, 'about 2 h left'],
  [90_000_000, 'about 25 h left'],
])('%d ms are shown as: %s', (ms, words) => {
  expect(formatRemainingTime(ms)).toBe(words);
});
