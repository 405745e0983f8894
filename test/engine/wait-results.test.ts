// Rules that all waits share. Results are neither returned too early nor held back forever.

import { describe, expect, it } from 'vitest';
import {
  failIfOverdue,
  hasJustEntered,
  type ReadyResult,
  takeReadyResults,
} from '../../src/engine/wait-results.ts';
import { renderFailures } from '../../src/features/renders/failures.ts';
import { asset, done } from '../plan/_steps.ts';

describe('hasJustEntered', () => {
  it.each([
    ['submitted at this moment', 10_000, 10_000, true],
    ['submitted half a second ago', 10_000, 10_500, true],
    ['submitted long enough ago', 10_000, 10_700, false],
    ["submitted according to a clock behind the workflow's", 10_000, 9_000, false],
  ])(
    'hasJustEntered() returns the expected result for an asset %s',
    (_name, enteredAtMs, nowMs, young) => {
      expect(hasJustEntered({ ...asset('x'), enteredAtMs }, nowMs)).toBe(young);
    },
  );

  it('hasJustEntered() returns false for an asset without a time of entry', () => {
    expect(hasJustEntered(asset('x'), 10_000)).toBe(false);
  });
});

describe('failIfOverdue', () => {
  const waiting = { ...asset('x'), enteredAtMs: 0, deadlineMs: 15 * 60_000 };
  const failure = renderFailures.RENDER_TIMEOUT;
  const late = { failure, what: 'it was not done', status: 'RENDERING' };

  it('nothing is returned before the deadline', () => {
    expect(failIfOverdue(waiting, 15 * 60_000 - 1, late)).toBeNull();
  });

  it('the asset fails at its deadline, and the failure states the timeout', () => {
    expect(failIfOverdue(waiting, 15 * 60_000, late)).toEqual({
      key: 'x',
      outcome: 'failed',
      code: 'RENDER_TIMEOUT',
      message:
        'it was not done within 15m; its status on the platform is RENDERING; raise `timeout` of the node, or check the work on the platform',
    });
  });

  it.each([
    [90_000, '1m30s'],
    [2 * 86_400_000, '2d'],
  ])('a timeout of %d ms is written as in the pipeline file: %s', (deadlineMs, timeout) => {
    const message = failIfOverdue({ ...waiting, deadlineMs }, deadlineMs, late);
    expect(message).toMatchObject({
      message: expect.stringContaining(`within ${timeout};`) as string,
    });
  });

  it.each([
    ['an unknown status', 'FROBNICATING', 'its status on the platform is FROBNICATING;'],
    ['a very long status', 'X'.repeat(10_000), `its status on the platform is ${'X'.repeat(59)}…;`],
    ['no status', undefined, 'the platform has reported no status;'],
  ])("the platform's last status is reported: %s", (_, status, said) => {
    const message = failIfOverdue(waiting, 15 * 60_000, { ...late, status });
    expect(message).toMatchObject({ message: expect.stringContaining(said) as string });
  });

  it('nothing is returned if there is no deadline', () => {
    expect(failIfOverdue(asset('x'), Number.MAX_SAFE_INTEGER, late)).toBeNull();
  });
});

describe('takeReadyResults', () => {
  /** Results with the given durations. By default a result is held back for a second. */
  const found = (count: number, sinceMs: number, tookMs = 12_500): ReadyResult[] =>
    Array.from({ length: count }, (_, index) => ({
      result: done(`k${sinceMs}-${index}`),
      firstSeenAtMs: sinceMs,
      enteredAtMs: sinceMs - tookMs,
    }));
  const at = (nowMs: number, spent = 0, assetCount?: number) => ({
    run: assetCount === undefined ? {} : { assetCount },
    wait: { batchAssets: 50 },
    pollerContext: {
      monotonicNow: () => nowMs,
      client: { pollBudget: { limit: 600, pressure: () => spent } },
    },
  });

  it.each([
    ['returns nothing if nothing was found', found(0, 0), 100, at(0), 0],
    ['holds back a few results that wait for more', found(7, 10_000), 100, at(10_200), 0],
    [
      'returns a few results immediately if no more will follow',
      found(7, 10_000),
      7,
      at(10_000),
      7,
    ],
    ['returns a full call immediately', found(50, 10_000), 100, at(10_000), 50],
    ['holds back results that do not fill a call', found(73, 10_000), 100, at(10_000), 50],
    ['returns two full calls', found(100, 10_000), 300, at(10_000), 100],
    [
      'returns a full call that contains all results that have waited long enough',
      [...found(7, 10_000), ...found(66, 10_900)],
      100,
      at(11_000),
      50,
    ],
    [
      'returns all results if more of them than fit into one call have waited long enough',
      [...found(57, 10_000), ...found(16, 10_900)],
      100,
      at(11_000),
      73,
    ],
    [
      'returns all results if the oldest has waited long enough',
      found(7, 10_000),
      100,
      at(11_000),
      7,
    ],
    [
      'does not hold back results if the work took 5 s',
      found(7, 10_000, 5_000),
      100,
      at(10_000),
      7,
    ],
    [
      'holds back results for some seconds if the work took a minute',
      found(7, 10_000, 60_000),
      100,
      at(14_200),
      0,
    ],
    [
      'returns results after some seconds if the work took a minute',
      found(7, 10_000, 60_000),
      100,
      at(14_400),
      7,
    ],
    [
      'holds back results for half a minute if the work took an hour',
      found(7, 10_000, 3_600_000),
      100,
      at(37_400),
      0,
    ],
    [
      'returns results after half a minute if the work took an hour',
      found(7, 10_000, 3_600_000),
      100,
      at(37_500),
      7,
    ],
    [
      'holds back results for two minutes if the work took six hours',
      found(7, 10_000, 21_600_000),
      100,
      at(127_400),
      0,
    ],
    [
      'returns results after two minutes if the work took six hours',
      found(7, 10_000, 21_600_000),
      100,
      at(127_500),
      7,
    ],
    [
      'holds back results for twice the 5 s that the work took if half of the allowance is spent',
      found(7, 10_000, 5_000),
      100,
      at(19_400, 0.5),
      0,
    ],
    [
      'returns results after twice the 5 s that the work took if half of the allowance is spent',
      found(7, 10_000, 5_000),
      100,
      at(19_500, 0.5),
      7,
    ],
    [
      'holds back results for another minute if the work took a minute and the allowance is spent',
      found(7, 10_000, 60_000),
      100,
      at(69_700, 1),
      0,
    ],
    [
      'returns results after another minute if the work took a minute and the allowance is spent',
      found(7, 10_000, 60_000),
      100,
      at(69_800, 1),
      7,
    ],
    [
      'holds back results of a run that needs more requests than the allowance',
      found(7, 10_000),
      100,
      at(21_900, 0, 6_001),
      0,
    ],
    [
      'returns results earlier if the run needs no more than the allowance',
      found(7, 10_000),
      100,
      at(11_000, 0, 6_000),
      7,
    ],
    [
      'returns a full call immediately even if the allowance is spent',
      found(50, 10_000),
      100,
      at(10_000, 1),
      50,
    ],
  ])('takeReadyResults() %s', (_name, list, waitingFor, context, count) => {
    expect(takeReadyResults(list, waitingFor, context)).toHaveLength(count);
  });

  it.each([
    ['holds back results for about a second', found(7, 10_000, 2_000), 11_200, 0],
    ['returns results after about a second', found(7, 10_000, 2_000), 11_250, 7],
    ['returns a full call immediately', found(50, 10_000), 10_000, 50],
  ])('takeReadyResults() with wake-ups %s', (_name, list, nowMs, count) => {
    expect(takeReadyResults(list, 100, at(nowMs), true)).toHaveLength(count);
  });

  it.each([
    // Six calls follow. Results wait twice as long as the first call took, if that is longer than six calls take.
    [3_000, 3_000, 0],
    [3_000, 8_000, 0],
    [3_000, 9_000, 12],
    [1_000, 5_000, 0],
    [1_000, 6_000, 12],
    // Long work waits at most a minute, plus a little per hour.
    [600_000, 660_000, 0],
    [600_000, 680_000, 12],
  ])(
    'for six colorways ready after %i ms, a wait in the grid at %i ms returns %i results',
    (ready, nowMs, count) => {
      const context = { ...at(nowMs), wait: { batchAssets: 300, calls: 6 } };
      const list = found(12, ready).map((one) => ({ ...one, enteredAtMs: 0 }));
      expect(takeReadyResults(list, 240, context)).toHaveLength(count);
    },
  );

  it('the wait in a grid returns all results as soon as there is nothing left to wait for', () => {
    const context = { ...at(1_000), wait: { batchAssets: 300, calls: 6 } };
    expect(takeReadyResults(found(12, 1_000), 12, context)).toHaveLength(12);
  });

  it('the results that have waited longest are returned first', () => {
    const list = [...found(30, 10_300), ...found(30, 10_000)];
    const gone = takeReadyResults(list, 100, at(10_490)).map(({ key }) => key);
    expect(gone).toHaveLength(50);
    expect(gone.filter((key) => key.startsWith('k10000-'))).toHaveLength(30);
  });

  it('all results are returned if there are no rules for the wait', () => {
    expect(takeReadyResults(found(7, 10_000), 100, { ...at(10_000), wait: null })).toHaveLength(7);
  });
});
