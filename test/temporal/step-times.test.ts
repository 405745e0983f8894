// Tests the busy time of a step: overlapping spans count once.
import { expect, test } from 'vitest';
import { coveredMs } from '../../src/temporal/runs/step-times.ts';

test.each([
  ['none', [], 0],
  ['one', [[10, 30]], 20],
  [
    'apart',
    [
      [10, 20],
      [30, 50],
    ],
    30,
  ],
  [
    'overlapping, in any order',
    [
      [30, 50],
      [10, 40],
    ],
    40,
  ],
  [
    'one inside another',
    [
      [10, 100],
      [20, 30],
    ],
    90,
  ],
] as const)('%s', (_name, spans, ms) => {
  expect(coveredMs(spans.map(([from, until]) => [from, until]))).toBe(ms);
});
