import { expect, test } from 'vitest';
import type { PlanResult } from '../../../src/app/plan/plan-pipeline.ts';
import { formatPlanRemarks } from '../../../src/app/plan/plan-remarks.ts';

const refusal = (key: string, code: string) => ({ key, code, message: 'no slot' });

test('the fix of refused assets is printed once for each code, below the first one', () => {
  const refusals = [
    refusal('a', 'NOT_A_GLB'),
    refusal('b', 'COLORWAY_NO_SLOT'),
    refusal('c', 'NOT_A_GLB'),
  ];
  const shape = { refusals, warnings: [], excess: [], withdraws: null, slots: null };
  const remarks = formatPlanRemarks({ shape, notInspected: 0 } as unknown as PlanResult);
  expect(remarks).toEqual([
    'refused a: NOT_A_GLB: no slot\n  Correct the file extension, or export the model as GLB.',
    expect.stringMatching(/^refused b: COLORWAY_NO_SLOT: no slot\n {2}Correct `matchText`/),
    'refused c: NOT_A_GLB: no slot',
  ]);
});
