// Tests the intervals of sums, which grow so that a run of days writes few log lines.
import { describe, expect, it } from 'vitest';
import { IntervalSums } from '../../src/telemetry/interval-sums.ts';
import { createLabelLimiter } from '../../src/telemetry/record-metrics.ts';

const gaps = { firstMs: 5_000, growth: 2, maxMs: 300_000 };
const make = () => new IntervalSums<{ count: number }>(gaps);
const add = (sum = { count: 0 }) => ({ count: sum.count + 1 });

describe('interval sums', () => {
  it('a sum is emitted after its first interval, and not again before it grows', () => {
    const digest = make();
    digest.record('a', 0, add);
    digest.record('a', 1_000, add);
    expect(digest.due(4_999)).toEqual([]);
    expect(digest.due(5_000)).toEqual([{ count: 2 }]);
    expect(digest.due(9_000)).toEqual([]);
  });

  it('one event per second for ten hours emits fewer than 150 sums, and no event is lost', () => {
    const digest = make();
    const told: { count: number }[] = [];
    for (let second = 0; second < 36_000; second += 1) {
      digest.record('a', second * 1_000, add);
      told.push(...digest.due(second * 1_000));
    }
    told.push(...digest.takeByPrefix('a'));
    expect(told.length).toBeLessThan(150);
    expect(told.reduce((sum, { count }) => sum + count, 0)).toBe(36_000);
  });

  it('the first interval applies again after a pause', () => {
    const digest = make();
    digest.record('a', 0, add);
    digest.due(5_000);
    digest.due(15_000);
    digest.record('a', 100_000, add);
    expect(digest.due(105_000)).toEqual([{ count: 1 }]);
  });

  it('all sums with a prefix are returned together', () => {
    const digest = make();
    digest.record('one\nx', 0, add);
    digest.record('one\ny', 0, add);
    digest.record('two\nx', 0, add);
    expect(digest.takeByPrefix('one\n')).toHaveLength(2);
    expect(digest.takeByPrefix('one\n')).toEqual([]);
    expect(digest.due(5_000)).toHaveLength(1);
  });
});

it('a label has a limited number of values, and all other values share one', () => {
  const bounded = createLabelLimiter(2);
  expect(['a', 'b', 'c', 'a', 'd'].map(bounded)).toEqual(['a', 'b', 'other', 'a', 'other']);
});
