// Tests sums of totals, and the outcome of a run.
import { describe, expect, it } from 'vitest';
import type { StepCount } from '../../src/plan/shard/totals.ts';
import { addSteps, addTotals, createTotals, outcomeOf } from '../../src/plan/shard/totals.ts';

describe('outcomeOf', () => {
  it.each([
    ['no assets', { total: 0, complete: 0, failed: 0, skipped: 0 }, 'complete'],
    ['all complete', { total: 3, complete: 3, failed: 0, skipped: 0 }, 'complete'],
    ['some skipped', { total: 3, complete: 1, failed: 0, skipped: 2 }, 'complete'],
    ['all skipped', { total: 3, complete: 0, failed: 0, skipped: 3 }, 'complete'],
    ['one failed of many', { total: 3, complete: 2, failed: 1, skipped: 0 }, 'partial_failure'],
    ['all failed', { total: 3, complete: 0, failed: 3, skipped: 0 }, 'failed'],
    [
      'one failed and the rest unchanged',
      { total: 3, complete: 0, failed: 1, skipped: 2 },
      'partial_failure',
    ],
  ] as const)('outcomeOf() returns the outcome of a run: %s', (_name, totals, outcome) => {
    expect(outcomeOf(totals)).toBe(outcome);
  });
});

describe('adding totals', () => {
  it('totals are added field by field', () => {
    const sum = createTotals();
    addTotals(sum, { total: 5, complete: 1, failed: 2, skipped: 2 });
    addTotals(sum, { total: 1, complete: 1, failed: 0, skipped: 0 });
    expect(sum).toEqual({ total: 6, complete: 2, failed: 2, skipped: 2 });
  });

  it('a new sum does not share state with another sum', () => {
    addTotals(createTotals(), { total: 5, complete: 1, failed: 2, skipped: 2 });
    expect(createTotals()).toEqual({ total: 0, complete: 0, failed: 0, skipped: 0 });
  });

  it('steps are added by id, without changing what was added', () => {
    const one: StepCount = { waiting: 1, running: 2, done: 3, failed: 4 };
    const sum: Record<string, StepCount> = {};
    addSteps(sum, { a: one });
    addSteps(sum, { a: one, b: one });
    expect(sum).toEqual({ a: { waiting: 2, running: 4, done: 6, failed: 8 }, b: one });
    expect(one).toEqual({ waiting: 1, running: 2, done: 3, failed: 4 });
  });
});
