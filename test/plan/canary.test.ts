// Tests the cause of a run that waits for approval.
import { describe, expect, it } from 'vitest';
import {
  canaryExpiredCause,
  canaryWaitCause,
  computeCanaryTotals,
  countRemainingAssets,
  formatUtcMinutes,
} from '../../src/plan/contract/canary.ts';
import type { Totals } from '../../src/plan/shard/totals.ts';

const found = {
  pages: 2,
  total: 205,
  new: 190,
  changed: 10,
  unchanged: 4,
  refused: 1,
};
const canary = { assets: 5, timeoutMs: 1 };
const until = '2026-11-28T22:40:59.000Z';
const asked = {
  run: 'r-1',
  destinations: [
    { type: 's3', bucket: 'b' },
    { type: 'local', path: '/shop' },
  ],
  canary,
  discovery: found,
  until,
};

/** Totals of a run: the totals of the canary, plus one refused file and four unchanged files. */
function totals(complete: number, failed: number, skipped: number): Totals {
  return { total: 10, complete, failed: failed + 1, skipped: skipped + 4 };
}

describe('a run that waits for approval', () => {
  it.each<[Totals, string]>([
    [totals(5, 0, 0), '5 complete'],
    [totals(4, 1, 0), '4 complete, 1 failed'],
    [totals(0, 5, 0), '0 complete, 5 failed'],
    [totals(2, 1, 2), '2 complete, 1 failed, 2 skipped'],
    [totals(3, 0, 0), '3 complete, 2 waiting for notification'],
  ])('the run reports only the outcomes of the first assets: %j', (sums, made) => {
    expect(canaryWaitCause(asked, sums)).toEqual({
      code: 'CANARY_WAITING',
      message: `the first 5 of 200 assets are done: ${made}; the others are waiting for approval until 2026-11-28 22:40 UTC`,
      fix: 'Check the results in s3://b and /shop; then run `renderline approve r-1` or `renderline cancel r-1`',
      kind: 'later',
    });
  });

  it('the run reports a single first asset in the singular', () => {
    const { message } = canaryWaitCause(
      { ...asked, canary: { ...asked.canary, assets: 1 } },
      totals(1, 0, 0),
    );
    expect(message).toMatch(/^the first of 200 assets is done: 1 complete; /);
  });

  it('the run reports no location if it has no destination', () => {
    const { fix } = canaryWaitCause({ ...asked, destinations: [] }, totals(5, 0, 0));
    expect(fix).toBe(
      'Check the results; then run `renderline approve r-1` or `renderline cancel r-1`',
    );
  });

  it('the run ends with a cause that only a new run can fix', () => {
    expect(canaryExpiredCause(asked)).toMatchObject({
      code: 'CANARY_NOT_APPROVED',
      message:
        'the first 5 of 200 assets are done, and nobody approved the others by 2026-11-28 22:40 UTC',
      kind: 'never',
    });
  });

  it('the run counts the remaining assets', () => {
    expect(countRemainingAssets(found, canary)).toBe(195);
    expect(computeCanaryTotals(found, totals(4, 1, 0), canary)).toEqual({
      total: 5,
      complete: 4,
      failed: 1,
      skipped: 0,
    });
    expect(formatUtcMinutes(until)).toBe('2026-11-28 22:40 UTC');
  });
});
