import { defineFailures } from '../../failures/define.ts';
import { formatUtcMinutes } from '../../plan/contract/canary.ts';
import type { Decision } from '../../store/runs/pictures/approvals.ts';

export const approvalFailures = defineFailures('asset', {
  APPROVAL_REJECTED: {
    title: 'A person rejected the pictures of the asset.',
    fix: 'Fix the problem given in the reason, then run the pipeline again, or run `renderline rerun RUN --failed`: the asset is rendered again (which is paid for) and waits for a new decision.',
  },
  APPROVAL_TIMEOUT: {
    title:
      'Nobody approved or rejected the pictures of the asset within the `timeout` of its node.',
    fix: 'Run `renderline rerun RUN --failed`: the asset waits for a decision again, and nothing is rendered again. If reviewers need more time, raise the `timeout`.',
  },
});

/** @param subject what the person rejected, such as `its pictures` */
export function rejectionOf({ by, at, reason }: Decision, subject: string): string {
  const reasonNote = reason === undefined ? '' : `: ${reason}`;
  return `${by} rejected ${subject} on ${formatUtcMinutes(at)}${reasonNote}`;
}
