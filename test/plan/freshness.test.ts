import { describe, expect, it } from 'vitest';
import { expiredRules, reusableStagesWithout, stageTimesOf } from '../../src/plan/freshness.ts';
import { firstStageToRun, workStages } from '../../src/plan/stages.ts';
import type { Stage } from '../../src/plan/types.ts';

const dayMs = 24 * 3_600_000;
const delivered = '2026-06-01T00:00:00.000Z';
const after = (days: number) => Date.parse(delivered) + days * dayMs;

describe('what an asset has outlived', () => {
  const render = { stage: 'render', olderThanMs: 90 * dayMs } as const;

  it.each([
    ['younger', 89, 0],
    ['as old as is allowed', 90, 0],
    ['older', 90.1, 1],
    ['of a clock that was ahead', -5, 0],
  ])('is told by when it was delivered: %s', (_what, days, stale) => {
    expect(expiredRules([render], { finishedAt: delivered }, after(days))).toHaveLength(stale);
  });

  it('is told by when a stage was done, where the record says so', () => {
    const made = { source: '2026-01-01T00:00:00.000Z' };
    const source = { stage: 'source', olderThanMs: 100 * dayMs } as const;
    const record = { finishedAt: delivered, made };
    expect(expiredRules([source, render], record, after(1))).toEqual([source]);
  });
});

describe('what stands', () => {
  it.each<[Stage[], Stage]>([
    [['source'], 'source'],
    [['composition'], 'composition'],
    [['render'], 'render'],
    [['sheet'], 'sheet'],
    [['delivery'], 'delivery'],
    [['delivery', 'render'], 'render'],
    [['render', 'composition'], 'composition'],
  ])('where %j is too old begins at %s', (stale, begin) => {
    expect(firstStageToRun(reusableStagesWithout(stale))).toBe(begin);
  });

  it('keeps production files where only renders are too old, and renders where only those are', () => {
    expect(reusableStagesWithout(['render'])).toEqual(['source', 'composition', 'sheet']);
    expect(reusableStagesWithout(['sheet'])).toEqual(['source', 'composition', 'render']);
    expect(reusableStagesWithout(['delivery'])).toEqual(workStages);
  });
});

describe('when stages were done', () => {
  it('is as before for those that stand', () => {
    const before = { finishedAt: delivered, made: { source: '2026-01-01T00:00:00.000Z' } };
    expect(stageTimesOf(['source', 'composition'], before)).toEqual({
      source: '2026-01-01T00:00:00.000Z',
      composition: delivered,
    });
  });

  it('is now for all others', () => {
    expect(stageTimesOf([], { finishedAt: delivered })).toEqual({});
    expect(stageTimesOf(workStages, null)).toEqual({});
  });
});
