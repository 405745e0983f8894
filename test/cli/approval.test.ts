// Text that is shown before and after an approval.

import { describe, expect, test } from 'vitest';
import {
  type ApprovalRequest,
  formatApprovalRequest,
  formatApproved,
  readApprovalRequest,
} from '../../src/app/runs/approval.ts';
import { formatChangedPictures } from '../../src/app/runs/approve-pictures.ts';
import type { RunReport } from '../../src/app/runs/run-report.ts';
import { explainFailure } from '../../src/features/failures.ts';
import { renderFailures } from '../../src/features/renders/failures.ts';
import type { RunProgress } from '../../src/plan/contract/contract.ts';
import type { CanaryProgress } from '../../src/plan/types.ts';

const plain = (_format: unknown, text: string) => text;
const made: ApprovalRequest = {
  run: 'r-1',
  until: '2026-11-28T22:40:59.000Z',
  canary: { total: 5, complete: 4, failed: 1, skipped: 0 },
  remaining: 1_195,
  destination: '/out',
  files: 4,
  failures: [
    { key: 'hat', node: 'shots', code: 'RENDER_FAILED', message: 'no light', attempts: 2 },
  ].map(explainFailure),
};

describe('before', () => {
  test('what was made, where it is, what failed and what is left', () => {
    const cost = { requests: { total: 240, byOperation: {} }, renders: 1_195, max: false };
    expect(formatApprovalRequest(made, cost, plain).split('\n')).toEqual([
      'r-1  waits for approval until 2026-11-28 22:40 UTC',
      '  done      5 assets: 4 complete, 1 failed',
      '  files     4 in /out',
      '  remaining 1,195 assets, about 240 requests, 1,195 render jobs',
      '',
      'Failed, by cause:',
      '  RENDER_FAILED at shots: 1 asset (hat)',
      '    no light',
      `    ${renderFailures.RENDER_FAILED.fix}`,
      '',
    ]);
  });

  test('without files or failures, no word of them', () => {
    const canary = { total: 1, complete: 0, failed: 0, skipped: 1 };
    const few: ApprovalRequest = { ...made, canary, remaining: 1, destination: null, failures: [] };
    expect(formatApprovalRequest(few, null, plain).split('\n').slice(1)).toEqual([
      '  done      1 asset: 0 complete, 1 skipped',
      '  remaining 1 asset',
    ]);
  });
});

test('while receivers are away, files are not counted', () => {
  const canary = { total: 5, complete: 0, failed: 0, skipped: 0 };
  expect(
    formatApprovalRequest({ ...made, canary, files: 0, failures: [] }, null, plain).split('\n'),
  ).toEqual(
    expect.arrayContaining([
      '  done      5 assets: 0 complete, 5 waiting for notification',
      '  files     in /out',
    ]),
  );
});

test.each<[Partial<RunProgress> | null, RegExp]>([
  [{ state: 'running' }, /^r-1 is approved and continues.*renderline show r-1 --wait$/],
  [{ state: 'paused' }, /^r-1 is approved, but still paused\.\nResume it: renderline resume r-1$/],
  [null, /^The approval of r-1 was sent; no worker has answered yet/],
])('afterwards: %j', (progress, words) => {
  expect(formatApproved('r-1', progress as RunProgress | null)).toMatch(words);
});

describe('what there is to approve', () => {
  const found = { pages: 2, total: 9, new: 8, changed: 0, unchanged: 1, refused: [] };
  const waiting: CanaryProgress = { assets: 5, state: 'waiting', until: made.until };
  const other = (state: 'running' | 'approved' | 'refused'): CanaryProgress => ({
    assets: 5,
    state,
    until: null,
  });

  function reportOf(progress: Partial<RunProgress> | null): RunReport {
    const totals = { total: 6, complete: 4, failed: 1, skipped: 1 };
    const known = progress && { state: 'paused', discovery: found, totals, ...progress };
    const { destination, failures } = made;
    const shape = { destination, failures, files: Array(4).fill({}) };
    return { progress: known, shape } as unknown as RunReport;
  }

  test('the first assets, without what was unchanged', () => {
    expect(readApprovalRequest('r-1', reportOf({ canary: waiting }))).toEqual({
      ...made,
      remaining: 3,
    });
  });

  test('nothing more, once it is approved', () => {
    expect(readApprovalRequest('r-1', reportOf({ canary: other('approved') }))).toBeNull();
  });

  test.each<[string, number, Partial<RunProgress> | null]>([
    ['NO_WORKER', 75, null],
    ['NOT_ASKED_YET', 75, { discovery: null }],
    ['NOT_ASKED_YET', 75, { canary: other('running') }],
    ['ASKS_FOR_NOTHING', 2, {}],
    ['RUN_ENDED', 2, { canary: other('refused'), state: 'cancelling' }],
  ])('%s, exit %d: %j', (code, exit, progress) => {
    expect(() => readApprovalRequest('r-1', reportOf(progress))).toThrow(
      expect.objectContaining({ code, exit }),
    );
  });
});

test('changed pictures are listed with how much of them has changed, and where both can be seen', () => {
  const waiting = [
    { path: 'chair.png', share: 0.342 },
    { path: 'lamp.png', share: 0.07 },
  ];
  expect(formatChangedPictures('r-1', waiting, '/out', plain).split('\n')).toEqual([
    'r-1  waits for approval of 2 changed pictures',
    '  34% changed  chair.png',
    '   7% changed  lamp.png',
    'The old pictures are still in /out. Before and after, side by side: renderline report r-1',
  ]);
});
