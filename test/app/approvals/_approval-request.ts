// The canary of a run that waits for approval.
import type { ApprovalRequest } from '../../../src/app/approvals/approval.ts';
import { explainFailure } from '../../../src/features/failures.ts';

export const approvalRequest: ApprovalRequest = {
  run: 'r-1',
  until: '2026-11-28T22:40:59.000Z',
  canary: { total: 5, complete: 4, failed: 1, skipped: 0 },
  remaining: 1_195,
  destinations: '/out and /shop',
  files: 4,
  failures: [
    { key: 'hat', node: 'shots', code: 'RENDER_FAILED', message: 'no light', attempts: 2 },
  ].map(explainFailure),
};
