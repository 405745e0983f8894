import { describe, expect, test } from 'vitest';
import { readApprovalRequest } from '../../../src/app/approvals/approval.ts';
import type { RunDetails } from '../../../src/app/runs/run-details.ts';
import type { RunProgress } from '../../../src/plan/contract/contract.ts';
import type { CanaryProgress } from '../../../src/plan/types.ts';
import { approvalRequest as made } from './_approval-request.ts';

describe('the approval request of a run', () => {
  const found = { pages: 2, total: 9, new: 8, changed: 0, unchanged: 1, refused: [] };
  const waiting: CanaryProgress = { assets: 5, state: 'waiting', until: made.until };
  const other = (state: 'running' | 'approved' | 'refused'): CanaryProgress => ({
    assets: 5,
    state,
    until: null,
  });

  function reportOf(progress: Partial<RunProgress> | null): RunDetails {
    const totals = { total: 6, complete: 4, failed: 1, skipped: 1 };
    const known = progress && { state: 'paused', discovery: found, totals, ...progress };
    const places = { destination: '/out', extraDestinations: ['/shop'] };
    const shape = { ...places, failures: made.failures, files: Array(4).fill({}) };
    return { progress: known, shape } as unknown as RunDetails;
  }

  test('the approval request counts the remaining assets without the unchanged ones', () => {
    expect(readApprovalRequest('r-1', reportOf({ canary: waiting }))).toEqual({
      ...made,
      remaining: 3,
    });
  });

  test('the approval request is absent once the canary is approved', () => {
    expect(readApprovalRequest('r-1', reportOf({ canary: other('approved') }))).toBeNull();
  });

  test('the approval request fails without a false end if the run is still ending', () => {
    const ending = reportOf({ canary: other('refused'), state: 'cancelling' });
    expect(() => readApprovalRequest('r-1', ending)).toThrow(
      'The run r-1 is ending (cancelling); there is nothing to approve.',
    );
  });

  test.each<[string, number, Partial<RunProgress> | null]>([
    ['NO_WORKER', 75, null],
    ['NOT_ASKED_YET', 75, { discovery: null }],
    ['NOT_ASKED_YET', 75, { canary: other('running') }],
    ['ASKS_FOR_NOTHING', 2, {}],
    ['RUN_ENDED', 2, { canary: other('refused'), state: 'cancelling' }],
  ])(
    'the approval request fails with %s, exit code %d, for the progress %j',
    (code, exit, progress) => {
      expect(() => readApprovalRequest('r-1', reportOf(progress))).toThrow(
        expect.objectContaining({ code, exit }),
      );
    },
  );
});
