// Tests ids that every worker derives separately and that must be equal.
import { expect, it } from 'vitest';
import { isTraceSampled, spanIdOf, traceIdOf } from '../../src/telemetry/tracing.ts';

it('a run always has the same ids', () => {
  expect(traceIdOf('shoes-1')).toMatch(/^[0-9a-f]{32}$/);
  expect(traceIdOf('shoes-1')).toBe(traceIdOf('shoes-1'));
  expect(spanIdOf('shoes-1', 'shard 3')).toMatch(/^[0-9a-f]{16}$/);
});

it('parts and runs have different ids', () => {
  const ids = ['a', 'b'].flatMap((run) => [
    spanIdOf(run, 'start'),
    spanIdOf(run, 'run'),
    spanIdOf(run, 'shard 0'),
    spanIdOf(run, 'shard 1'),
  ]);
  expect(new Set(ids).size).toBe(ids.length);
});

it.each([
  [0, 0, 0],
  [0.1, 70, 130],
  [1, 1_000, 1_000],
])('a share of %d samples %d to %d of a thousand runs', (share, min, max) => {
  const runs = Array.from({ length: 1_000 }, (_, index) => traceIdOf(`run-${index}`));
  const sampled = runs.filter((id) => isTraceSampled(id, share)).length;
  expect(sampled).toBeGreaterThanOrEqual(min);
  expect(sampled).toBeLessThanOrEqual(max);
});
