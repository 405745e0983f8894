// Notifies receivers how a run ended, that it waits for approval, or that it is late or expected to be late. Each
// notice is a separate workflow, so that a receiver that is down for hours neither keeps a run open nor fails it.
import { ParentClosePolicy, proxyActivities, startChild } from '@temporalio/workflow';
import { decisionWaitCode } from '../src/plan/contract/canary.ts';
import { type Activities, type RunInput, workflowIds } from '../src/plan/contract/contract.ts';
import type { Notice, NoticeInput, NoticeResult } from '../src/plan/contract/notice-contract.ts';
import { omitUndefined } from '../src/plan/helpers/omit-undefined.ts';
import type { RunCause } from '../src/plan/run/run-cause.ts';
import { runMemoOf } from '../src/plan/run/run-memo.ts';
import { activitySummaries } from './activity-summaries.ts';

const { sendNotice } = proxyActivities<Activities>({
  summary: activitySummaries.sendNotice,
  // Each attempt reads the results of the whole run, which may have a million assets.
  startToCloseTimeout: '1h',
  heartbeatTimeout: '30s',
  scheduleToCloseTimeout: '24h',
  // Each attempt sets the delay of its next retry, so these values apply only after a timeout.
  retry: { initialInterval: '5s', backoffCoefficient: 2, maximumInterval: '60s' },
});

/** Maximum number of failures in a notice. */
const maxFailuresShown = 20;

export async function runNotice(input: NoticeInput): Promise<NoticeResult> {
  return sendNotice(input);
}

export type NoticeOutcome = Notice['outcome'];

/** Details of a notice. Fields that do not apply are absent or null. */
export interface NoticeDetails extends Pick<Notice, 'deadline'> {
  cause?: RunCause | null;
  report?: string | null;
  /** Number of the run's request for an approval, starting at 1. */
  nth?: number;
}

interface EndedRun
  extends NoticeDetails,
    Pick<Notice, 'outcome' | 'assets' | 'failures' | 'withdrawn'> {
  startedAtMs: number;
}

/** Starts a workflow for each receiver that subscribes to this outcome. */
export async function startNotices(
  { plan, run }: Pick<RunInput, 'plan' | 'run'>,
  {
    outcome,
    assets,
    failures,
    withdrawn,
    deadline,
    cause,
    report = null,
    nth,
    startedAtMs,
  }: EndedRun,
): Promise<void> {
  const targets = (plan.notify ?? []).filter(({ on }) => on.includes(outcome));
  const notice: Notice = {
    schema: 'renderline/run-notice/v1',
    run,
    pipeline: plan.pipeline,
    outcome,
    assets,
    ...(withdrawn ? { withdrawn } : {}),
    ...(deadline ? { deadline } : {}),
    cause: cause ? { code: cause.code, message: cause.message } : null,
    failures: failures.slice(0, maxFailuresShown),
    report,
    startedAt: new Date(startedAtMs).toISOString(),
    endedAt: new Date().toISOString(),
  };
  const { exports } = runMemoOf(plan);
  for (const [index, target] of targets.entries()) {
    const workflowId = workflowIds[noticeIdOf(notice)](run, index, nth);
    const childStart = startChild(runNotice, {
      workflowId,
      args: [
        { id: workflowId, target, notice, records: plan.records, ...omitUndefined({ exports }) },
      ],
      staticSummary: `${plan.pipeline}: notice "${outcome.replace('_', ' ')}" to receiver ${index + 1}`,
      parentClosePolicy: ParentClosePolicy.ABANDON,
    });
    // After a reset the earlier notice to the same receiver may still be open, which is not a failure of the run.
    await childStart.catch(() => undefined);
  }
}

/**
 * Returns the name of the id function for a kind of notice. Kinds have different ids, since receivers drop known ids.
 */
function noticeIdOf({ outcome, cause, deadline }: Notice) {
  if (outcome === 'waiting')
    return cause?.code === decisionWaitCode ? 'decisionNotice' : 'approvalNotice';
  if (outcome !== 'late') return 'notice';
  return deadline?.lateness === 'late' ? 'lateNotice' : 'expectedLateNotice';
}
