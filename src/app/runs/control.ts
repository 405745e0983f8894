import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { commandFailures } from '../../failures/commands.ts';
import type { SignalNote } from '../../plan/contract/audit-contract.ts';
import { canaryWaitCode, isApprovalCause } from '../../plan/contract/canary.ts';
import type { RunProgress } from '../../plan/contract/contract.ts';
import { messages } from '../../plan/contract/messages.ts';
import { omitUndefined } from '../../plan/helpers/omit-undefined.ts';
import { callWithTimeout, responseTimeoutMs } from '../../temporal/call-with-timeout.ts';
import { isUnreadableError } from '../../temporal/codec/codec-errors.ts';
import { cancelRun } from '../../temporal/runs/cancel-run.ts';
import type { App } from '../app.ts';
import { assertNotPaused } from '../assert-not-paused.ts';
import { RenderlineError } from '../renderline-error.ts';
import { withTemporal } from '../temporal-client.ts';
import { readFreshProgress } from './fresh-progress.ts';
import { isNotFoundError, queryProgress, readAllowedRun, readSnapshot } from './run-snapshot.ts';

export type Action = 'cancel' | 'pause' | 'resume';

export interface ControlOptions {
  reason?: string | undefined;
  /** See `SignalNote`. */
  newRecords?: true | undefined;
}

const stateTimeoutMs = 8_000;
const pollIntervalMs = 250;

/** `renderline/control/v1`, together with the figures that the run itself reports. */
export interface ControlResult {
  shape: {
    schema: 'renderline/control/v1';
    run: string;
    action: Action;
    /** State of the run while it is running, otherwise how it ended. */
    state: string;
    assets: RunProgress['totals'] | null;
  };
  /** The run's progress after the action. Null if no worker has answered yet, or if the run had ended. */
  progress: RunProgress | null;
}

/**
 * Signals the run and waits for its new state.
 * @throws RenderlineError if the run has ended and the action is not `cancel`; for `resume`, also if the run needs
 * an approval or a general pause is in force
 */
export async function controlRun(
  app: App,
  action: Action,
  run: string,
  { reason, newRecords }: ControlOptions = {},
): Promise<ControlResult> {
  return withTemporal(app, async ({ client }) => {
    const snapshot = await readAllowedRun(app, client, run);
    if (snapshot.status !== 'running')
      return controlResult(action, { ...snapshot, progress: null });
    if (action === 'resume') {
      await assertNotPaused(client, snapshot.taskQueue, snapshot.pipeline);
      assertNoApprovalNeeded(await queryProgress(client, run));
    }
    app.beginChange();
    await signalRun(client, action, run, omitUndefined({ reason, newRecords }));
    const isWanted = (now: RunProgress) => hasTakenEffect(action, now);
    const reachedState = await waitForState(client, run, isWanted).catch((error: unknown) => {
      if (!isUnreadableError(error)) throw error;
      const message = `${run} was asked to ${action}, but its new state is unknown: ${error.message}`;
      throw new RenderlineError(error.failure, message, { fix: error.fix, details: { run } });
    });
    return controlResult(action, reachedState);
  });
}

const endStates: readonly string[] = ['completed', 'failed', 'terminated', 'cancelled'];

function controlResult(action: Action, reachedState: ReachedState): ControlResult {
  const { run, status: state, progress } = reachedState;
  if (endStates.includes(state) && action !== 'cancel') throw runEndedError(reachedState, action);
  const assets = progress?.totals ?? null;
  return { shape: { schema: 'renderline/control/v1', run, action, state, assets }, progress };
}

/** @throws RenderlineError for a run that waits for an approval, because `resume` does not approve anything */
function assertNoApprovalNeeded(progress: RunProgress | null): void {
  const { run, cause } = progress ?? {};
  if (!cause || !isApprovalCause(cause)) return;
  throw new RenderlineError(
    commandFailures.WAITS_FOR_APPROVAL,
    `The run ${run} is waiting for approval and cannot be resumed: ${cause.message}.`,
    { fix: `Check its results and approve them: renderline approve ${run}`, details: { run } },
  );
}

/** True if a pause or resume has taken effect. A paused run that also awaits an approval reports the pause first. */
function hasTakenEffect(action: Action, { state, cause }: RunProgress): boolean {
  const isPaused = state === 'paused' && cause?.code !== canaryWaitCode;
  return action === 'pause' ? isPaused : action === 'resume' && !isPaused;
}

/** Signals the run. If it has ended, returns without an error, because callers read the run's state. */
export async function signalRun(
  client: Client,
  action: Action | 'approve',
  run: string,
  note: SignalNote = {},
): Promise<void> {
  const handle = client.workflow.getHandle(run);
  try {
    const args = action === 'approve' ? [note] : [undefined, note];
    await callWithTimeout(client, responseTimeoutMs.usual, () =>
      action === 'cancel'
        ? cancelRun(client, run, note.reason)
        : handle.signal(messages[action], ...args),
    );
  } catch (error) {
    // The server also reports "not found" for a run that has just ended, so the error is then ignored.
    if (!isNotFoundError(error) || (await readSnapshot(client, run)).status === 'running')
      throw error;
  }
}

export interface ReachedState {
  run: string;
  status: string;
  endedAtMs: number | null;
  progress: RunProgress | null;
}

/** Polls until the run is in the wanted state or has ended, up to the time limit. */
export async function waitForState(
  client: Client,
  run: string,
  isWanted: (progress: RunProgress) => boolean,
): Promise<ReachedState> {
  const endAt = performance.now() + stateTimeoutMs;
  for (;;) {
    const snapshot = await readSnapshot(client, run);
    const progress = await queryProgress(client, run);
    const isOpen = snapshot.status === 'running';
    const isReached = !isOpen || (progress !== null && isWanted(progress));
    if (isReached || performance.now() > endAt) {
      const status = isOpen ? (progress?.state ?? 'running') : snapshot.status;
      // The run's own figures are older than those of its shards, which `show` also reads.
      const freshProgress =
        isOpen && progress !== null ? await readFreshProgress(client, run) : null;
      return { run, status, endedAtMs: snapshot.endedAtMs, progress: freshProgress ?? progress };
    }
    await sleep(pollIntervalMs);
  }
}

/** Creates the error for a run that has ended, or that is ending, as after the timeout of its approval. */
export function runEndedError(
  { run, status, endedAtMs }: Omit<ReachedState, 'progress'>,
  action: string,
): RenderlineError {
  const verb = endStates.includes(status) ? 'has ended' : 'is ending';
  const endTime = endedAtMs === null ? '' : ` at ${new Date(endedAtMs).toISOString()}`;
  return new RenderlineError(
    commandFailures.RUN_ENDED,
    `The run ${run} ${verb} (${status}${endTime}); there is nothing to ${action}.`,
    { fix: `See its result: renderline show ${run}`, details: { run } },
  );
}
