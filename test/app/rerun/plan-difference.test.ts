// Differences between the plan of a run and the plan of its current file.
import { describe, expect, test } from 'vitest';
import {
  comparePlans,
  formatDifference,
  isSamePlan,
} from '../../../src/app/rerun/plan-difference.ts';
import type { Plan } from '../../../src/plan/types.ts';

describe('the difference of two plans', () => {
  // Only the fields that are compared.
  const plan = {
    recipe: 'r',
    parameters: { size: 1, gone: true },
    connectors: {},
    inFlight: 1_000,
    steps: [
      { id: 'take', batch: 50 },
      { id: 'shots', batch: 50 },
    ],
  } as unknown as Plan;
  const other = {
    ...plan,
    recipe: 's',
    parameters: { size: 2 },
    tolerate: { failures: 1 },
    steps: [{ id: 'shots', batch: 9 }, { id: 'deliver' }],
  } as unknown as Plan;

  test('two plans differ in parameters, steps and other fields', () => {
    expect(formatDifference(comparePlans(plan, other))).toEqual([
      'parameter gone: true -> null',
      'parameter size: 1 -> 2',
      'steps changed: shots',
      'steps added: deliver',
      'steps removed: take',
      'changed: tolerate',
      'how assets are processed: with the current file, each asset starts at the first changed stage',
    ]);
  });

  test.each<[string, Partial<Plan>, boolean]>([
    ['hashes and reasons are equal', { hash: 'other', route: ['because'] }, true],
    ['sizes that the engine chooses are equal', { shardSize: 50, window: 4 }, true],
    ['numbers of assets in flight differ', { inFlight: 500 }, false],
    [
      'durations of attempts are equal',
      { steps: plan.steps.map((one) => ({ ...one, startToCloseMs: 9 })) },
      true,
    ],
    ['waiting times differ', { steps: plan.steps.map((one) => ({ ...one, timeoutMs: 9 })) }, false],
    ['quotas differ', { renderQuota: { perMonth: 5 } as Plan['renderQuota'] & object }, false],
    ['deadlines differ', { deadline: { at: '12:00' } as Plan['deadline'] & object }, false],
    ['ages of results differ', { freshness: [] }, false],
    ['rules for withdrawn products differ', { withdrawn: {} as Plan['withdrawn'] & object }, false],
    ['canaries differ', { canary: { assets: 2, timeoutMs: 1 } }, false],
  ])('two plans with different %s', (_what, change, same) => {
    const difference = comparePlans(plan, { ...plan, ...change });
    expect(isSamePlan(difference)).toBe(same);
    expect(formatDifference(difference).length === 0).toBe(same);
  });
});
