// Figures of a measurement: use of the rate limit, kill points, and figures of histories.
import { describe, expect, it } from 'vitest';
import { inspectHistory, noFigures } from '../../bench/history-figures.ts';
import { killPoints } from '../../bench/kills.ts';
import { summarizeKills } from '../../bench/table.ts';
import { windowUse } from '../../bench/window-use.ts';

describe('the use of the allowance', () => {
  const minute = { limit: 100, windowSeconds: 60 };
  const windows = [100, 90, 20].map((used, index) => ({
    openedAt: index * 60_000,
    used,
    refused: 0,
  }));

  it.each([
    ['counts only windows that ended before the work did', 150_000, [2, 0.95, 0.9]],
    ['counts the last window if the work filled it', 180_000, [3, 0.7, 0.2]],
    ['is unknown if no window has ended', 59_999, []],
  ])('the use of the allowance %s', (_name, endedAtMs, expected) => {
    const use = windowUse(windows, minute, endedAtMs);
    const found = use ? [use.windows, use.mean, use.min] : [];
    expect(found).toHaveLength(expected.length);
    found.forEach((value, index) => {
      expect(value).toBeCloseTo(expected[index] ?? -1);
    });
  });
});

it('minutes without a window count as unused', () => {
  const windows = [0, 180_000].map((openedAt) => ({ openedAt, used: 100, refused: 0 }));
  const use = windowUse(windows, { limit: 100, windowSeconds: 60 }, 300_000);
  expect(use).toEqual({ windows: 2, mean: 0.5, min: 1 });
});

describe('kill points', () => {
  it('kill points depend on the seed, are in order, and lie within the work', () => {
    const points = killPoints(20, 7);
    expect(points).toEqual(killPoints(20, 7));
    expect(points).not.toEqual(killPoints(20, 8));
    expect(points).toEqual(points.toSorted((a, b) => a - b));
    expect(Math.min(...points)).toBeGreaterThan(0);
    expect(Math.max(...points)).toBeLessThan(0.95);
  });
});

describe('the result after the kills', () => {
  const worker = { cpuMs: 1, peakMib: 1 };
  const one = {
    contender: 'renderline' as const,
    assets: 10,
    mix: false,
    outputs: 10,
    created: { models: 10, projects: 10, renderJobs: 10 },
    kills: 2,
    perWorker: [
      { ...worker, killed: true },
      { ...worker, killed: true },
      { ...worker, killed: false },
    ],
  };

  it.each([
    [{}, '2 of 2 workers killed: no output is missing, nothing was paid for twice.'],
    [{ outputs: 8 }, '2 outputs are missing, nothing was paid for twice.'],
    [
      { created: { models: 11, projects: 10, renderJobs: 13 } },
      'paid for twice: 1 models, 3 renders.',
    ],
    [
      { mix: true, created: { models: 11, projects: 11, renderJobs: 11 } },
      'nothing was paid for twice.',
    ],
    [{ kills: 5 }, '2 of 5 workers killed'],
  ])('the result for %j contains: %s', (changes, words) => {
    expect(summarizeKills({ ...one, ...changes })).toContain(words);
  });
});

describe('the figures of a history', () => {
  const time = (ms: number) => ({
    seconds: Math.floor(ms / 1_000) as never,
    nanos: (ms % 1_000) * 1_000_000,
  });
  const event = (id: number, atMs: number, attributes: object) => ({
    eventId: id as never,
    eventTime: time(atMs),
    ...attributes,
  });

  it('the figures contain the longest workflow task, the largest event and the workers of its activities', () => {
    const figures = noFigures();
    const padding = 'x'.repeat(5_000);
    inspectHistory(figures, [
      event(1, 0, { workflowTaskStartedEventAttributes: {} }),
      event(2, 30, { workflowTaskCompletedEventAttributes: { startedEventId: 1 } }),
      event(3, 40, { activityTaskStartedEventAttributes: { identity: 'a' } }),
      event(4, 2_000, { workflowTaskStartedEventAttributes: {} }),
      event(5, 2_110, { workflowTaskCompletedEventAttributes: { startedEventId: 4 } }),
      event(6, 3_000, { activityTaskStartedEventAttributes: { identity: padding } }),
    ]);
    expect(figures.longestTaskMs).toBe(110);
    expect(figures.largestEventBytes).toBeGreaterThan(5_000);
    expect(figures.largestEventBytes).toBeLessThan(5_100);
    expect([...figures.tasks]).toEqual([
      ['a', 1],
      [padding, 1],
    ]);
  });
});
