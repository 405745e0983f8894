import { describe, expect, it } from 'vitest';
import { findExpiredRules, reusableStagesBefore, stageTimesOf } from '../../src/plan/freshness.ts';
import { firstStageToRunOf, workStages } from '../../src/plan/stages.ts';
import type { Stage } from '../../src/plan/types.ts';

const dayMs = 24 * 3_600_000;
const delivered = '2026-06-01T00:00:00.000Z';
const after = (days: number) => Date.parse(delivered) + days * dayMs;

describe('the rules by which an asset has expired', () => {
  const render = { stage: 'render', olderThanMs: 90 * dayMs } as const;

  it.each([
    ['younger', 89, 0],
    ['as old as allowed', 90, 0],
    ['older', 90.1, 1],
    ['from a clock that was ahead', -5, 0],
  ])("the expired rules depend on the time of the asset's delivery: %s", (_what, days, stale) => {
    expect(findExpiredRules([render], { finishedAt: delivered }, after(days))).toHaveLength(stale);
  });

  it('the expired rules depend on the time of a stage if the record has one', () => {
    const made = { source: '2026-01-01T00:00:00.000Z' };
    const source = { stage: 'source', olderThanMs: 100 * dayMs } as const;
    const record = { finishedAt: delivered, made };
    expect(findExpiredRules([source, render], record, after(1))).toEqual([source]);
  });
});

describe('reusable stages', () => {
  it.each<[Stage[], Stage]>([
    [['source'], 'source'],
    [['composition'], 'composition'],
    [['render'], 'render'],
    [['sheet'], 'sheet'],
    [['delivery'], 'delivery'],
    [['delivery', 'render'], 'render'],
    [['render', 'composition'], 'composition'],
  ])('with the expired stages %j, work starts at %s', (stale, begin) => {
    expect(firstStageToRunOf(reusableStagesBefore(stale))).toBe(begin);
  });

  it('reusable stages include production files if only renders expired, and renders if only production files expired', () => {
    expect(reusableStagesBefore(['render'])).toEqual(['source', 'composition', 'sheet']);
    expect(reusableStagesBefore(['sheet'])).toEqual(['source', 'composition', 'render']);
    expect(reusableStagesBefore(['delivery'])).toEqual(workStages);
  });
});

describe('the times of stages', () => {
  it('the times of reused stages are kept', () => {
    const before = { finishedAt: delivered, made: { source: '2026-01-01T00:00:00.000Z' } };
    expect(stageTimesOf(['source', 'composition'], before)).toEqual({
      source: '2026-01-01T00:00:00.000Z',
      composition: delivered,
    });
  });

  it('the times of all other stages are omitted', () => {
    expect(stageTimesOf([], { finishedAt: delivered })).toEqual({});
    expect(stageTimesOf(workStages, null)).toEqual({});
  });
});
