// Rules that all waits share: results are neither returned too early nor held forever.

import { describe, expect, it } from 'vitest';
import {
  failIfOverdue,
  hasJustEntered,
  type ReadyResult,
  takeReadyResults,
} from '../../src/engine/wait-results.ts';
import { renderFailures } from '../../src/features/renders/failures.ts';
import { asset, done } from '../plan/_steps.ts';

describe('justEntered', () => {
  it.each([
    ['submitted this moment', 10_000, 10_000, true],
    ['half a second ago', 10_000, 10_500, true],
    ['long enough ago', 10_000, 10_700, false],
    ['a clock behind that of the workflow', 10_000, 9_000, false],
  ])('%s', (_name, enteredAtMs, nowMs, young) => {
    expect(hasJustEntered({ ...asset('x'), enteredAtMs }, nowMs)).toBe(young);
  });

  it('an asset without a time of entry may be asked for at once', () => {
    expect(hasJustEntered(asset('x'), 10_000)).toBe(false);
  });
});

describe('overdue', () => {
  const waiting = { ...asset('x'), enteredAtMs: 0, deadlineMs: 15 * 60_000 };
  const failure = renderFailures.RENDER_TIMEOUT;
  const late = { failure, what: 'it was not done', status: 'RENDERING' };

  it('is nobody before the deadline', () => {
    expect(failIfOverdue(waiting, 15 * 60_000 - 1, late)).toBeNull();
  });

  it('fails the asset at its deadline, and says how long it had', () => {
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
  ])('names a timeout of %d ms as the pipeline file does: %s', (deadlineMs, timeout) => {
    const message = failIfOverdue({ ...waiting, deadlineMs }, deadlineMs, late);
    expect(message).toMatchObject({
      message: expect.stringContaining(`within ${timeout};`) as string,
    });
  });

  it.each([
    ['a status that nobody knows', 'FROBNICATING', 'its status on the platform is FROBNICATING;'],
    [
      'a status of any length',
      'X'.repeat(10_000),
      `its status on the platform is ${'X'.repeat(59)}…;`,
    ],
    ['nothing', undefined, 'the platform has reported no status;'],
  ])('says what the platform kept saying: %s', (_, status, said) => {
    const message = failIfOverdue(waiting, 15 * 60_000, { ...late, status });
    expect(message).toMatchObject({ message: expect.stringContaining(said) as string });
  });

  it('is nobody without a deadline', () => {
    expect(failIfOverdue(asset('x'), Number.MAX_SAFE_INTEGER, late)).toBeNull();
  });
});

describe('handOn', () => {
  /** Results with the given durations; the default is held back for a second. */
  const found = (count: number, sinceMs: number, tookMs = 12_500): ReadyResult[] =>
    Array.from({ length: count }, (_, index) => ({
      result: done(`k${sinceMs}-${index}`),
      sinceMs,
      enteredAtMs: sinceMs - tookMs,
    }));
  const at = (nowMs: number, spent = 0, assetCount?: number) => ({
    run: assetCount === undefined ? {} : { assetCount },
    wait: { batchAssets: 50 },
    pollerContext: {
      now: () => nowMs,
      client: { pollBudget: { limit: 600, pressure: () => spent } },
    },
  });

  it.each([
    ['nothing found, nothing handed on', found(0, 0), 100, at(0), 0],
    ['a few wait for more', found(7, 10_000), 100, at(10_200), 0],
    ['a few that are all there is go on at once', found(7, 10_000), 7, at(10_000), 7],
    ['a full call goes on at once', found(50, 10_000), 100, at(10_000), 50],
    ['what does not fill a call stays behind', found(73, 10_000), 100, at(10_000), 50],
    ['two full calls', found(100, 10_000), 300, at(10_000), 100],
    [
      'one has waited long enough, and fits into a full call',
      [...found(7, 10_000), ...found(66, 10_900)],
      100,
      at(11_000),
      50,
    ],
    [
      'more have waited long enough than a full call takes',
      [...found(57, 10_000), ...found(16, 10_900)],
      100,
      at(11_000),
      73,
    ],
    ['the oldest has waited long enough: all go', found(7, 10_000), 100, at(11_000), 7],
    ['what took 5 s is not held back', found(7, 10_000, 5_000), 100, at(10_000), 7],
    ['what took a minute is, for some seconds', found(7, 10_000, 60_000), 100, at(14_200), 0],
    ['and then goes', found(7, 10_000, 60_000), 100, at(14_400), 7],
    ['what took an hour waits half a minute', found(7, 10_000, 3_600_000), 100, at(37_400), 0],
    ['and no longer', found(7, 10_000, 3_600_000), 100, at(37_500), 7],
    ['what took six hours waits two minutes', found(7, 10_000, 21_600_000), 100, at(127_400), 0],
    ['and then goes too', found(7, 10_000, 21_600_000), 100, at(127_500), 7],
    ['tight: what took 5 s waits twice as long', found(7, 10_000, 5_000), 100, at(19_400, 0.5), 0],
    ['tight: and no longer', found(7, 10_000, 5_000), 100, at(19_500, 0.5), 7],
    ['tight: what took a minute waits another', found(7, 10_000, 60_000), 100, at(69_700, 1), 0],
    ['tight: and then goes', found(7, 10_000, 60_000), 100, at(69_800, 1), 7],
    ['a run that needs more than there is', found(7, 10_000), 100, at(21_900, 0, 6_001), 0],
    ['and one that does not', found(7, 10_000), 100, at(11_000, 0, 6_000), 7],
    ['tight: a full call goes on at once', found(50, 10_000), 100, at(10_000, 1), 50],
  ])('%s', (_name, list, waitingFor, context, count) => {
    expect(takeReadyResults(list, waitingFor, context)).toHaveLength(count);
  });

  it.each([
    ['looks are many, calls are not', found(7, 10_000, 2_000), 11_200, 0],
    ['a good second has passed', found(7, 10_000, 2_000), 11_250, 7],
    ['a call is full', found(50, 10_000), 10_000, 50],
  ])('where hints come: %s', (_name, list, nowMs, count) => {
    expect(takeReadyResults(list, 100, at(nowMs), true)).toHaveLength(count);
  });

  it.each([
    // Six calls follow: twice as long as the first took, when that is longer than six calls take of an allowance.
    [3_000, 3_000, 0],
    [3_000, 8_000, 0],
    [3_000, 9_000, 12],
    [1_000, 5_000, 0],
    [1_000, 6_000, 12],
    // Long work waits at most a minute, and a little more per hour.
    [600_000, 660_000, 0],
    [600_000, 680_000, 12],
  ])(
    'in a grid of six colorways, ready %i ms after its start, at %i ms: %i go on',
    (ready, nowMs, count) => {
      const context = { ...at(nowMs), wait: { batchAssets: 300, calls: 6 } };
      const list = found(12, ready).map((one) => ({ ...one, enteredAtMs: 0 }));
      expect(takeReadyResults(list, 240, context)).toHaveLength(count);
    },
  );

  it('in a grid all go on as soon as nothing is left to wait for', () => {
    const context = { ...at(1_000), wait: { batchAssets: 300, calls: 6 } };
    expect(takeReadyResults(found(12, 1_000), 12, context)).toHaveLength(12);
  });

  it('who has waited longest goes first', () => {
    const list = [...found(30, 10_300), ...found(30, 10_000)];
    const gone = takeReadyResults(list, 100, at(10_490)).map(({ key }) => key);
    expect(gone).toHaveLength(50);
    expect(gone.filter((key) => key.startsWith('k10000-'))).toHaveLength(30);
  });

  it('without rules of a wait everything is handed on', () => {
    expect(takeReadyResults(found(7, 10_000), 100, { ...at(10_000), wait: null })).toHaveLength(7);
  });
});
