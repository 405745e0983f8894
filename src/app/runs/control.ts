// Cancels, pauses or resumes a run: signals it and reports its new state.
import type { Client } from '@temporalio/client';
import type { Session } from '../../cli/session.ts';
import { escapeForTerminal } from '../../cli/terminal-text.ts';
import { commandFailures } from '../../failures/commands.ts';
import { exitCode } from '../../failures/exit-code.ts';
import type { SignalNote } from '../../plan/contract/audit-contract.ts';
import { approvalWaitCode, needsApproval } from '../../plan/contract/canary.ts';
import { type RunProgress } from '../../plan/contract/contract.ts';
import { messages } from '../../plan/contract/messages.ts';
import { withoutUndefined } from '../../plan/helpers/without-undefined.ts';
import { isUnreadable } from '../../temporal/codec/codec-errors.ts';
import { cancelRun } from '../../temporal/runs/cancel-run.ts';
import { RenderlineError } from '../renderline-error.ts';
import { withTemporal } from '../temporal-client.ts';
import { isNotFound, queryProgress, type RunSnapshot, readSnapshot } from './run-snapshot.ts';

export type Action = 'cancel' | 'pause' | 'resume';

/** Time limit for the run to reach the requested state. */
const stateTimeoutMs = 8_000;
const pollIntervalMs = 250;

export async function controlRun(
  app: Session,
  action: Action,
  run: string,
  reason?: string,
): Promise<number> {
  return withTemporal(app, async ({ client }) => {
    const before = await readSnapshot(client, run);
    if (before.status !== 'running') return printControlResult(app, action, before, null);
    if (action === 'resume') refuseResumeBeforeApproval(await queryProgress(client, run));
    app.resumeHint = `See its state: renderline show ${run}`;
    await signalRun(client, action, run, withoutUndefined({ reason }));
    const reached = await waitForState(client, run, (now) => isReached(action, now)).catch(
      (error: unknown) => {
        if (!isUnreadable(error)) throw error;
        const message = `${run} was asked to ${action}, but its new state is unknown: ${error.message}`;
        throw new RenderlineError(error.failure, message, { fix: error.fix, details: { run } });
      },
    );
    return printControlResult(app, action, reached, reached.progress);
  });
}

/** @throws RenderlineError for a run that waits for an approval, which `resume` does not give */
function refuseResumeBeforeApproval(progress: RunProgress | null): void {
  const { run, cause } = progress ?? {};
  if (!cause || !needsApproval(cause)) return;
  throw new RenderlineError(
    commandFailures.WAITS_FOR_APPROVAL,
    `The run ${run} needs an approval, not a resume: ${cause.message}.`,
    { fix: `Check its results and approve them: renderline approve ${run}`, details: { run } },
  );
}

/** A run can be paused and wait for an approval at once; then it reports the pause first. */
function isReached(action: Action, { state, cause }: RunProgress): boolean {
  const isPaused = state === 'paused' && cause?.code !== approvalWaitCode;
  return action === 'pause' ? isPaused : action === 'resume' && !isPaused;
}

/** Signals the run. Ignores that the run has ended meanwhile, because its state shows that. */
export async function signalRun(
  client: Client,
  action: Action | 'approve',
  run: string,
  note: SignalNote = {},
): Promise<void> {
  const handle = client.workflow.getHandle(run);
  try {
    await client.withDeadline(Date.now() + stateTimeoutMs, async () => {
      if (action === 'cancel') await cancelRun(client, run, note.reason);
      else await handle.signal(messages[action], ...signalArguments(action, note));
    });
  } catch (error) {
    // The server reports "not found" also for a run that has just ended.
    if (!isNotFound(error) || (await readSnapshot(client, run)).status === 'running') throw error;
  }
}

/** A signal without a note is sent without arguments, as workers of earlier versions expect it. */
function signalArguments(action: 'pause' | 'resume' | 'approve', note: SignalNote): unknown[] {
  if (Object.keys(note).length === 0) return [];
  return action === 'approve' ? [note] : [undefined, note];
}

interface RunState {
  run: string;
  /** State of the running run, or how it ended. */
  status: string;
  endedAtMs: number | null;
  progress: RunProgress | null;
}

/** Polls until the run is in the wanted state or has ended, within the time limit. */
export async function waitForState(
  client: Client,
  run: string,
  isWanted: (progress: RunProgress) => boolean,
): Promise<RunState> {
  const endAt = performance.now() + stateTimeoutMs;
  for (;;) {
    const snapshot: RunSnapshot = await readSnapshot(client, run);
    const progress = await queryProgress(client, run);
    const status = snapshot.status === 'running' ? (progress?.state ?? 'running') : snapshot.status;
    const reached = snapshot.status !== 'running' || (progress !== null && isWanted(progress));
    if (reached || performance.now() > endAt)
      return { run, status, endedAtMs: snapshot.endedAtMs, progress };
    await new Promise((resolve) => {
      setTimeout(resolve, pollIntervalMs);
    });
  }
}

function printControlResult(
  app: Session,
  action: Action,
  { run, status: state, endedAtMs }: Omit<RunState, 'progress'>,
  progress: RunProgress | null,
): number {
  const shape = {
    schema: 'renderline/control/v1',
    run,
    action,
    state,
    assets: progress?.totals ?? null,
  };
  const hasEnded = ['completed', 'failed', 'terminated', 'cancelled'].includes(state);
  if (hasEnded && action !== 'cancel')
    throw runEndedError({ run, status: state, endedAtMs }, action);
  app.output.result(shape, () =>
    formatControlResult(action, state, escapeForTerminal(run), escapeForTerminal(progress)),
  );
  return exitCode.done;
}

export function runEndedError(
  { run, status, endedAtMs }: Omit<RunState, 'progress'>,
  action: string,
): RenderlineError {
  const when = endedAtMs === null ? '' : ` at ${new Date(endedAtMs).toISOString()}`;
  return new RenderlineError(
    commandFailures.RUN_ENDED,
    `The run ${run} has ended (${status}${when}); there is nothing to ${action}.`,
    { fix: `See how: renderline show ${run}`, details: { run } },
  );
}

/** Formats the new state of the run. */
export function formatControlResult(
  action: Action,
  state: string,
  run: string,
  progress: RunProgress | null,
): string {
  const { totals, discovery } = progress ?? {};
  const known = totals !== undefined && discovery !== null;
  const counts = known ? `: ${totals.complete} of ${totals.total} complete` : '';
  if (action === 'cancel') {
    if (state === 'cancelled' && discovery === null) {
      return `${run} is cancelled. It had not discovered its assets yet, so nothing was started.`;
    }
    if (state === 'cancelled')
      return `${run} is cancelled${counts}. Queued renders were cancelled; for renders that could not be cancelled see: renderline show ${run}`;
    if (state === 'completed' || state === 'failed' || state === 'terminated') {
      return `${run} had already ended (${state}).`;
    }
    return `${run} was asked to cancel and is still cleaning up. See: renderline show ${run}`;
  }
  if (action === 'pause' && state === 'paused') {
    return `${run} is paused${counts}. Submitted work continues on the platform; nothing new is submitted.\nResume it: renderline resume ${run}`;
  }
  if (action === 'resume' && progress?.cause?.code === approvalWaitCode) {
    return `${run} is no longer paused: ${progress.cause.message}.\nApprove: renderline approve ${run}`;
  }
  if (action === 'resume' && state !== 'paused' && progress !== null) {
    return `${run} continues${counts}. Follow it: renderline show ${run} --wait`;
  }
  return `${run} was asked to ${action}; no worker has answered yet. See: renderline show ${run}`;
}
