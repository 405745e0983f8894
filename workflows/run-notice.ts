// Notifies receivers how a run ended, or that it waits for approval. Each notice is a separate workflow, so that a
// receiver that is down for hours neither keeps a run open nor fails it.
import { ParentClosePolicy, proxyActivities, startChild } from '@temporalio/workflow';
import { decisionWaitCode } from '../src/plan/contract/canary.ts';
import { type Activities, workflowIds } from '../src/plan/contract/contract.ts';
import type { Notice, NoticeInput, NoticeResult } from '../src/plan/contract/notice-contract.ts';
import { withoutUndefined } from '../src/plan/helpers/without-undefined.ts';
import type { RunCause } from '../src/plan/run/run-cause.ts';
import { runMemoOf } from '../src/plan/run/run-memo.ts';
import type { Plan } from '../src/plan/types.ts';

const { sendNotice } = proxyActivities<Activities>({
  startToCloseTimeout: '1m',
  scheduleToCloseTimeout: '24h',
  // Each attempt sets its next delay; these values apply only after a worker died.
  retry: { initialInterval: '5s', backoffCoefficient: 2, maximumInterval: '60s' },
});

/** Maximum number of failures in a notice. */
const failuresShown = 20;

export async function runNotice(input: NoticeInput): Promise<NoticeResult> {
  return sendNotice(input);
}

interface Ending extends Pick<Notice, 'run' | 'outcome' | 'assets' | 'failures' | 'withdrawn'> {
  cause: RunCause | null;
  startedAtMs: number;
}

/** Starts a workflow for each receiver that subscribes to this outcome. */
export async function startNotices(plan: Plan, ending: Ending): Promise<void> {
  const { run, outcome, assets, failures, withdrawn, cause, startedAtMs } = ending;
  const targets = (plan.notify ?? []).filter(({ on }) => on.includes(outcome));
  const notice: Notice = {
    schema: 'renderline/run-notice/v1',
    run,
    pipeline: plan.pipeline,
    outcome,
    assets,
    ...(withdrawn ? { withdrawn } : {}),
    cause: cause && { code: cause.code, message: cause.message },
    failures: failures.slice(0, failuresShown),
    startedAt: new Date(startedAtMs).toISOString(),
    endedAt: new Date().toISOString(),
  };
  const { exports } = runMemoOf(plan);
  for (const [index, target] of targets.entries()) {
    const workflowId = noticeIdOf(ending)(run, index);
    const started = startChild(runNotice, {
      workflowId,
      args: [
        { id: workflowId, target, notice, records: plan.records, ...withoutUndefined({ exports }) },
      ],
      staticSummary: `${plan.pipeline} · ${outcome} · receiver ${index + 1}`,
      parentClosePolicy: ParentClosePolicy.ABANDON,
    });
    // After a reset the earlier notice to the same receiver may still be open, which is no failure of the run.
    await started.catch(() => undefined);
  }
}

/** Requests for approval and the end of a run have different ids, since receivers drop ids that they know. */
function noticeIdOf({ outcome, cause }: Pick<Ending, 'outcome' | 'cause'>) {
  if (outcome !== 'waiting') return workflowIds.notice;
  return cause?.code === decisionWaitCode ? workflowIds.decisionNotice : workflowIds.approvalNotice;
}
