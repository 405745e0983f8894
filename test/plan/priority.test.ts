// Tests the priority of a run.
import { expect, test } from 'vitest';
import { textBytesOf } from '../../src/plan/helpers/bytes.ts';
import { priorityOf, withAssetCount } from '../../src/plan/run/priority.ts';
import { runContextOf } from '../../src/plan/run/run-context.ts';
import type { Plan } from '../../src/plan/types.ts';

const who = { run: 'r', lineage: 'r', epoch: 0 };
const contextOf = (priority?: Plan['priority']) =>
  runContextOf({ pipeline: 'catalog', ...(priority ? { priority } : {}) } as Plan, who);

test.each([
  ['no priority', undefined, 50, true, 1],
  ['no priority', undefined, 51, false, 3],
  ['no priority', undefined, 0, true, 1],
  ['a priority', 'urgent', 10_000, true, 1],
  ['a priority', 'normal', 1, false, 3],
  ['a priority', 'bulk', 1, false, 5],
] as const)(
  'a run with %s (%s) and %i assets to process is urgent: %j, and has priority key %i',
  (_, said, toDo, isUrgent, key) => {
    const context = withAssetCount(contextOf(said), toDo, true);
    expect(context.assetCount).toBe(toDo);
    expect(context.urgent ?? false).toBe(isUrgent);
    expect(priorityOf(context)).toEqual({ priorityKey: key, fairnessKey: 'catalog' });
  },
);

test('a run that is still listing is urgent only if its file sets the priority', () => {
  expect(withAssetCount(contextOf(), 10, false)).toEqual({ ...contextOf(), assetCount: 10 });
  expect(withAssetCount(contextOf('urgent'), 10, false).urgent).toBe(true);
});

test('pipelines with long names have different fairness keys', () => {
  const keys = ['a', 'b'].map((end) => {
    const pipeline = `${'ü'.repeat(40)}${end}`;
    return priorityOf({ pipeline }).fairnessKey;
  });
  expect(new Set(keys).size).toBe(2);
  for (const key of keys) expect(textBytesOf(key)).toBeLessThanOrEqual(64);
});
