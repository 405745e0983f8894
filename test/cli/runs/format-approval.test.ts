// Text that is shown before and after an approval.
import { describe, expect, test } from 'vitest';
import type {
  ApprovalPreview,
  ApprovalRequest,
  ApprovalResult,
} from '../../../src/app/approvals/approval.ts';
import { type ApprovalVerdict, countVerdicts } from '../../../src/app/approvals/verdicts.ts';
import {
  formatApprovalPreview,
  formatApprovalQuestion,
  formatApprovalRequest,
  formatApprovalResult,
  formatChangedPictures,
} from '../../../src/cli/runs/format-approval.ts';
import { renderFailures } from '../../../src/features/renders/failures.ts';
import type { RunProgress } from '../../../src/plan/contract/contract.ts';
import { approvalRequest as made } from '../../app/approvals/_approval-request.ts';

const plain = (_format: unknown, text: string) => text;

describe('an approval request', () => {
  test('an approval request shows what was done, its location, failures and remaining work', () => {
    const cost = {
      requests: { total: 240, max: 1_310, byOperation: {} },
      renders: 1_195,
      max: false,
    };
    expect(formatApprovalRequest(made, cost, plain).split('\n')).toEqual([
      'r-1  is waiting for approval until 2026-11-28 22:40 UTC',
      '  done      5 assets: 4 complete, 1 failed',
      '  files     4 in /out and /shop',
      '  remaining 1,195 assets, about 240 to 1,310 requests, 1,195 render jobs',
      '',
      'Failed, by cause:',
      '  RENDER_FAILED at shots: 1 asset (hat)',
      '    no light',
      `    ${renderFailures.RENDER_FAILED.fix}`,
      '',
    ]);
  });

  test('an approval request shows no files and no failures if there are none', () => {
    const canary = { total: 1, complete: 0, failed: 0, skipped: 1 };
    const few: ApprovalRequest = {
      ...made,
      canary,
      remaining: 1,
      destinations: null,
      failures: [],
    };
    expect(formatApprovalRequest(few, null, plain).split('\n').slice(1)).toEqual([
      '  done      1 asset: 0 complete, 1 skipped',
      '  remaining 1 asset',
    ]);
  });
});

test('assets that wait for notices are not counted as files', () => {
  const canary = { total: 5, complete: 0, failed: 0, skipped: 0 };
  expect(
    formatApprovalRequest({ ...made, canary, files: 0, failures: [] }, null, plain).split('\n'),
  ).toEqual(
    expect.arrayContaining([
      '  done      5 assets: 0 complete, 5 waiting for notification',
      '  files     in /out and /shop',
    ]),
  );
});

test.each<[Partial<RunProgress> | null, RegExp]>([
  [{ state: 'running' }, /^r-1 is approved and continues.*renderline show r-1 --wait$/],
  [{ state: 'paused' }, /^r-1 is approved, but still paused\.\nResume it: renderline resume r-1$/],
  [null, /^The approval of r-1 was sent; no worker has responded yet/],
])('the text after an approval depends on the progress %j', (progress, words) => {
  const shape = { run: 'r-1', canary: made.canary, decided: null } as ApprovalResult['shape'];
  const result = { shape, progress: progress as RunProgress | null };
  expect(formatApprovalResult(result)).toMatch(words);
});

test('changed pictures are listed with the share that has changed, and with their locations', () => {
  const verdicts = [
    { asset: { path: 'chair.png', share: 0.342 }, verdict: 'approve' as const },
    { asset: { path: 'lamp.png', share: 0.07 }, verdict: 'reject' as const },
    { asset: { path: 'shelf.png', share: 0.05 }, verdict: 'wait' as const },
  ];
  const changed = {
    run: 'r-1',
    verdicts,
    destinations: '/out and /shop',
  };
  expect(formatChangedPictures(changed, plain).split('\n')).toEqual([
    'r-1  is waiting for approval of 3 changed pictures: 1 to approve, 1 to reject, 1 keeps waiting',
    '  reject    7% changed  lamp.png',
    '  approve  34% changed  chair.png',
    'The old pictures are still in /out and /shop. Before and after, side by side: renderline report r-1',
  ]);
});

test('when all changed pictures are decided, only resuming is offered', () => {
  const changed = { verdicts: [], destinations: '/out and /shop' };
  const preview = { kind: 'pictures', run: 'r-1', ...changed } as unknown as Extract<
    ApprovalPreview,
    { kind: 'pictures' }
  >;
  expect(formatApprovalPreview(preview, plain)).toBe(
    'r-1  all changed pictures are decided; the run is waiting to be resumed',
  );
  expect(formatApprovalQuestion(preview).question).toBe('Resume the run?');
});

describe('assets that wait for a decision', () => {
  type Preview = Extract<ApprovalPreview, { kind: 'assets' }>;
  function preview(...decisions: [key: string, verdict: ApprovalVerdict][]): Preview {
    const review = { type: 'local', path: '/review' };
    const verdicts = decisions.map(([key, verdict]) => {
      const pictures = [{ path: `${key}/Front.png`, width: 8, height: 8 }];
      return { asset: { key, shard: 0, node: 'look', review, pictures }, verdict };
    });
    const preview = { kind: 'assets', run: 'r-1', verdicts };
    return preview as unknown as Preview;
  }

  test('assets that wait are listed with their pictures, rejected ones first', () => {
    const some = preview(['a', 'approve'], ['b', 'reject'], ['c', 'wait']);
    expect(formatApprovalPreview(some, plain).split('\n')).toEqual([
      'r-1  3 assets are waiting for approval: 1 to approve, 1 to reject, 1 keeps waiting',
      '  reject   b  b/Front.png',
      '  approve  a  a/Front.png',
      'The pictures are in /review',
    ]);
  });

  const again = 'Once corrected, render the rejected assets again: renderline rerun r-1 --failed';

  test.each<[Preview, string, string]>([
    [
      preview(['a', 'approve'], ['b', 'approve']),
      'Approve 2 assets?',
      '2 assets approved. Follow the run: renderline show r-1 --wait',
    ],
    [
      preview(['a', 'approve'], ['b', 'reject'], ['c', 'wait']),
      'Approve 1 asset and reject 1 asset?',
      `1 asset approved, 1 asset rejected. More are waiting: renderline approve r-1\n${again}`,
    ],
    [
      preview(['a', 'reject'], ['b', 'wait'], ['c', 'wait']),
      'Reject 1 asset?',
      `1 asset rejected. More are waiting: renderline approve r-1\n${again}`,
    ],
  ])(
    'assets that wait cause the expected question and answer (case %#)',
    (some, question, answer) => {
      expect(formatApprovalQuestion(some).question).toBe(question);
      const decided = countVerdicts(some.verdicts);
      const shape = { run: 'r-1', canary: null, pictures: [], decided, earlier: [] };
      const result = { shape, progress: null } as unknown as ApprovalResult;
      expect(formatApprovalResult(result)).toBe(answer);
    },
  );

  test('assets that wait keep an earlier decision, and the answer shows who made it', () => {
    const note = { by: 'bob@studio', at: '2026-11-27T20:00:00.000Z', reason: 'too\u001b[31m dark' };
    const earlier = [{ key: 'a', node: 'look', outcome: 'rejected', ...note }];
    const decided = { approved: 0, rejected: 0, waiting: 0 };
    const shape = { run: 'r-1', canary: null, pictures: [], decided, earlier };
    const result = { shape, progress: null } as unknown as ApprovalResult;
    expect(formatApprovalResult(result).split('\n')).toEqual([
      'Somebody else has already decided about these assets. Their decisions stand:',
      expect.stringMatching(
        /^ {2}a {2}rejected by bob@studio on 2026-11-27 20:00 UTC: too.* dark$/,
      ),
      'Nothing was decided. Follow the run: renderline show r-1 --wait',
    ]);
    expect(formatApprovalResult(result)).not.toContain('\u001b');
  });
});
