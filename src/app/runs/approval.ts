// Approves the canary (first assets) of a run: shows the results, asks for confirmation, signals the run.
import type { Client } from '@temporalio/client';
import type { Paint } from '../../cli/color.ts';
import { confirm } from '../../cli/confirm.ts';
import { formatFailuresByCause } from '../../cli/runs/run-summary.ts';
import type { Session } from '../../cli/session.ts';
import { escapeForTerminal } from '../../cli/terminal-text.ts';
import { commandFailures } from '../../failures/commands.ts';
import { exitCode } from '../../failures/exit-code.ts';
import type { SignalNote } from '../../plan/contract/audit-contract.ts';
import {
  canaryTotals,
  formatOutcomes,
  formatUtcMinutes,
  remainingAssets,
} from '../../plan/contract/canary.ts';
import type { RunProgress } from '../../plan/contract/contract.ts';
import { formatCount, formatUpperBound } from '../../plan/helpers/format-count.ts';
import { withoutUndefined } from '../../plan/helpers/without-undefined.ts';
import type { Totals } from '../../plan/shard/totals.ts';
import { readRunInput } from '../../temporal/runs/run-input.ts';
import { RenderlineError } from '../renderline-error.ts';
import { withTemporal } from '../temporal-client.ts';
import { type ApproveFlags, approvePictures, awaitsPictureApproval } from './approve-pictures.ts';
import { runEndedError, signalRun, waitForState } from './control.ts';
import { estimateRemainingWork, type RemainingWork } from './remaining-work.ts';
import { type RunReport, reportRun } from './run-report.ts';
import type { RunShape } from './run-shape.ts';
import { type RunSnapshot, readSnapshot } from './run-snapshot.ts';

/** Results of the canary that wait for approval. */
export interface ApprovalRequest {
  run: string;
  until: string;
  /** Totals of the canary assets. */
  canary: Totals;
  /** Number of assets that start after the approval. */
  remaining: number;
  destination: string | null;
  files: number;
  failures: RunShape['failures'];
}

export async function approveRun(app: Session, run: string, flags: ApproveFlags): Promise<number> {
  const { yes, dryRun, reason } = flags;
  await app.usePlugins();
  return withTemporal(app, async ({ client, namespace }) => {
    const snapshot = await readSnapshot(client, run);
    if (snapshot.status !== 'running') throw runEndedError(snapshot, 'approve');
    const report = await reportRun(client, snapshot);
    if (report.unreadable !== null) throw report.unreadable;
    if (awaitsPictureApproval(report.progress)) {
      return approvePictures(app, client, { snapshot, report }, flags);
    }
    const { output } = app;
    const request = readApprovalRequest(run, report);
    if (request === null) {
      output.result(
        approvalResult(run, 'before', report.progress, null),
        () => `${run} is already approved. See: renderline show ${run}`,
      );
      return exitCode.done;
    }
    const cost = await estimateRemainingCost(client, namespace, snapshot, report);
    const approved = { ...request, requests: cost?.requests.total ?? null };
    if (dryRun) {
      output.result(approvalResult(run, 'no', report.progress, approved), () =>
        formatApprovalRequest(request, cost, output.paint),
      );
      return exitCode.done;
    }
    if (!output.json) output.raw(formatApprovalRequest(request, cost, output.paint));
    app.resumeHint = `The run still waits. Approve it: renderline approve ${run}`;
    await confirm(
      app,
      `Continue with ${formatCount(request.remaining, 'more asset')}?`,
      yes === true,
    );
    const progress = await approve(client, run, withoutUndefined({ reason }));
    output.result(approvalResult(run, 'now', progress, approved), () =>
      formatApproved(run, progress),
    );
    return exitCode.done;
  });
}

/** Estimates the cost of the remaining assets; null if it is unknown here. */
async function estimateRemainingCost(
  client: Client,
  namespace: string,
  snapshot: RunSnapshot,
  { progress }: RunReport,
): Promise<RemainingWork | null> {
  const start = await readRunInput(client, namespace, snapshot.run);
  return progress?.discovery ? estimateRemainingWork(snapshot, start, progress.discovery) : null;
}

/**
 * Reads the results to approve; null if the run is already approved.
 * @throws RenderlineError when the run needs no approval, or does not wait for it yet.
 */
export function readApprovalRequest(
  run: string,
  { progress, shape }: RunReport,
): ApprovalRequest | null {
  if (progress === null) {
    throw new RenderlineError(
      commandFailures.NO_WORKER,
      `No worker answers for the run ${run}, so its results cannot be shown.`,
      { details: { run } },
    );
  }
  const { canary, discovery, state, totals } = progress;
  if (discovery === null) throw notWaitingError(run, 'it is still discovering its assets');
  if (canary === undefined) throw noApprovalError(run);
  if (canary.state === 'approved') return null;
  if (canary.state === 'running')
    throw notWaitingError(run, `its first ${canary.assets} are in progress`);
  if (canary.state === 'waiting') {
    return {
      run,
      until: canary.until,
      canary: canaryTotals(discovery, totals, canary),
      remaining: remainingAssets(discovery, canary),
      destination: shape.destination,
      files: shape.files.length,
      failures: shape.failures,
    };
  }
  throw runEndedError({ run, status: state, endedAtMs: null }, 'approve');
}

function notWaitingError(run: string, why: string): RenderlineError {
  return new RenderlineError(
    commandFailures.NOT_ASKED_YET,
    `The run ${run} does not wait for approval yet: ${why}.`,
    { fix: `Follow it until it waits: renderline show ${run} --wait`, details: { run } },
  );
}

function noApprovalError(run: string): RenderlineError {
  return new RenderlineError(
    commandFailures.ASKS_FOR_NOTHING,
    `The run ${run} needs no approval: its file has no \`canary\`, or the canary covers all assets.`,
    { fix: `See its state: renderline show ${run}`, details: { run } },
  );
}

/** Formats what a person needs to decide. */
export function formatApprovalRequest(
  made: ApprovalRequest,
  cost: RemainingWork | null,
  paint: Paint,
): string {
  const { run, until, canary, remaining, destination, files, failures } = escapeForTerminal(made);
  // Files of assets whose side steps are still running are not recorded yet.
  const number = files === 0 ? '' : `${files} `;
  return [
    `${paint('bold', run)}  waits for approval until ${formatUtcMinutes(until)}`,
    `  done      ${formatCount(canary.total, 'asset')}: ${formatOutcomes(canary)}`,
    ...(destination === null ? [] : [`  files     ${number}in ${destination}`]),
    `  remaining ${[formatCount(remaining, 'asset'), ...formatCost(cost)].join(', ')}`,
    ...(failures.length === 0 ? [] : [...formatFailuresByCause(failures, paint), '']),
  ].join('\n');
}

function formatCost(cost: RemainingWork | null): string[] {
  if (cost === null) return [];
  const { requests, renders, max } = cost;
  return [
    `about ${formatCount(requests.total, 'request')}`,
    formatUpperBound(renders, 'render job', max),
  ];
}

/** Signals the approval and waits for the new state. @throws RenderlineError when the run has ended meanwhile, for example by timeout */
async function approve(client: Client, run: string, note: SignalNote): Promise<RunProgress | null> {
  await signalRun(client, 'approve', run, note);
  const isThere = ({ canary }: RunProgress) => canary?.state === 'approved';
  const reached = await waitForState(client, run, isThere);
  const { progress } = reached;
  // A run that somebody else approved in the meantime may already have ended.
  const isApproved = progress !== null && isThere(progress);
  if (progress?.canary?.state === 'refused' || (reached.endedAtMs !== null && !isApproved))
    throw runEndedError(reached, 'approve');
  return progress;
}

function approvalResult(
  run: string,
  approved: 'now' | 'before' | 'no',
  progress: RunProgress | null,
  made: (ApprovalRequest & { requests: number | null }) | null,
) {
  return {
    schema: 'renderline/approve/v1',
    run,
    approved,
    state: progress?.state ?? 'running',
    canary: made?.canary ?? null,
    remaining: made?.remaining ?? null,
    requests: made?.requests ?? null,
    destination: made?.destination ?? null,
    files: made?.files ?? null,
    failures: made?.failures ?? [],
    pictures: [],
  };
}

/** Formats the result of the approval. */
export function formatApproved(run: string, progress: RunProgress | null): string {
  if (progress === null) {
    return `The approval of ${run} was sent; no worker has answered yet. See: renderline show ${run}`;
  }
  if (progress.state === 'paused') {
    return `${run} is approved, but still paused.\nResume it: renderline resume ${run}`;
  }
  return `${run} is approved and continues. Follow it: renderline show ${run} --wait`;
}
