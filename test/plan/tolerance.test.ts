// Tests when too many assets have failed.
import { describe, expect, it } from 'vitest';
import { checkTolerance } from '../../src/plan/tolerance.ts';
import type { Tolerance } from '../../src/plan/types.ts';

describe('the tolerance of failures', () => {
  const rows: [
    failures: number,
    of: Tolerance['of'],
    failed: number,
    taken: number,
    is: boolean,
  ][] = [
    [0, 'count', 0, 10, false],
    [0, 'count', 1, 10, true],
    [20, 'count', 20, 1_000, false],
    [20, 'count', 21, 1_000, true],
    [5, 'percent', 50, 1_000, false],
    [5, 'percent', 51, 1_000, true],
    // If there are only a few assets, the share does not allow any failure.
    [5, 'percent', 1, 19, true],
    [5, 'percent', 1, 20, false],
    [2.5, 'percent', 2, 100, false],
    [2.5, 'percent', 3, 100, true],
    [100, 'percent', 10, 10, false],
    [0, 'percent', 0, 0, false],
  ];
  it.each(rows)(
    'with a tolerance of %d (%s), %d of %d failures are too many: %s',
    (failures, of, failed, taken, is) => {
      const cause = checkTolerance({ failures, of, onBreach: 'stop', submits: [] }, failed, taken);
      expect(cause !== null).toBe(is);
    },
  );

  it.each<[Tolerance['onBreach'], string]>([
    ['stop', 'never'],
    ['pause', 'later'],
  ])(
    'failures that %s a run cause an error that refers to the field of the tolerance',
    (onBreach, kind) => {
      const tolerance: Tolerance = { failures: 5, of: 'percent', onBreach, submits: [] };
      expect(checkTolerance(tolerance, 61, 1_000)).toMatchObject({
        code: 'TOO_MANY_FAILURES',
        message: '61 of 1,000 assets failed; `tolerate.failures` allows 5%, which is 50',
        kind,
      });
    },
  );
});
