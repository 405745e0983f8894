// Reads a run from Temporal: status, progress queries, and the result or failure after it has closed.
import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { asRecord } from '../../api/unknown-values.ts';
import { commandFailures } from '../../failures/commands.ts';
import {
  type RunProgress,
  type RunResult,
  type RunStart,
  runCauseType,
  workflowIds,
  workflowNames,
} from '../../plan/contract/contract.ts';
import { messages } from '../../plan/contract/messages.ts';
import type { RunCause } from '../../plan/run/run-cause.ts';
import { parseRunMemo, type RunMemo } from '../../plan/run/run-memo.ts';
import type { ShardProgress } from '../../plan/shard/totals.ts';
import { callWithTimeout, responseTimeoutMs } from '../../temporal/call-with-timeout.ts';
import { isUnreadableError } from '../../temporal/codec/codec-errors.ts';
import { isOpenStatus } from '../../temporal/runs/open-workflows.ts';
import { readCloseReason } from '../../temporal/runs/read-close-reason.ts';
import { readStartTime } from '../../temporal/runs/run-start-time.ts';
import { assertRunAllowed, type FolderBounds } from '../allowed-folders.ts';
import { RenderlineError } from '../renderline-error.ts';

export interface RunSnapshot {
  run: string;
  pipeline: string;
  status: 'running' | 'completed' | 'failed' | 'cancelled' | 'terminated';
  startedAtMs: number;
  endedAtMs: number | null;
  memo: RunMemo | null;
  /** Temporal's run id for the workflow execution. */
  executionId: string;
  taskQueue: string;
  /** True once a worker has started the run: its history then contains more events than the server writes initially. */
  hasStarted: boolean;
}

/** Number of events that the server writes before a worker picks up the workflow. */
const serverStartEvents = 2;

/** Reads the status and times of a run. @throws RenderlineError if the run does not exist */
export async function readSnapshot(client: Client, run: string): Promise<RunSnapshot> {
  const handle = client.workflow.getHandle(run);
  const described = await callWithTimeout(client, responseTimeoutMs.usual, () =>
    handle.describe().catch((error: unknown) => {
      throw isNotFoundError(error) ? runNotFoundError(run) : error;
    }),
  );
  if (described.type !== workflowNames.run) throw runNotFoundError(run);
  return readSnapshotOf(client, described);
}

/** @throws RenderlineError if the run does not exist, or if its records are outside the allowed folders */
export async function readAllowedRun(
  bounds: FolderBounds,
  client: Client,
  run: string,
): Promise<RunSnapshot> {
  const snapshot = await readSnapshot(client, run);
  await assertRunAllowed(bounds, snapshot);
  return snapshot;
}

type ListedExecution = Omit<
  WorkflowExecutionInfo,
  'raw' | 'type' | 'searchAttributes' | 'typedSearchAttributes'
>;

/** Reads the snapshot of a run that was listed or described. */
export async function readSnapshotOf(client: Client, info: ListedExecution): Promise<RunSnapshot> {
  return { ...snapshotOf(info), startedAtMs: await readStartTime(client, info) };
}

/** Creates a snapshot from a run's latest execution. The run itself may be older. */
export function snapshotOf(info: ListedExecution): Omit<RunSnapshot, 'startedAtMs'> {
  const memo = parseRunMemo(info.memo);
  return {
    run: info.workflowId,
    pipeline: memo?.pipeline ?? info.workflowId,
    status: statusOf(info.status.name),
    endedAtMs: info.closeTime?.getTime() ?? null,
    memo,
    executionId: info.runId,
    taskQueue: info.taskQueue,
    hasStarted: info.historyLength > serverStartEvents,
  };
}

function statusOf(name: string): RunSnapshot['status'] {
  if (isOpenStatus({ name }) || name === 'CONTINUED_AS_NEW') return 'running';
  if (name === 'COMPLETED') return 'completed';
  if (name === 'CANCELLED') return 'cancelled';
  return name === 'FAILED' ? 'failed' : 'terminated';
}

/** Queries the run's figures. Null if no worker answers in time. @throws CodecKeyMissingError, CodecKeyWrongError */
export async function queryProgress(client: Client, run: string): Promise<RunProgress | null> {
  return query<RunProgress>(client, run);
}

/** Queries the figures of open shards. Shards that do not answer are omitted. */
export async function queryShards(
  client: Client,
  run: string,
  shards: readonly number[],
): Promise<ShardProgress[]> {
  const responses = await Promise.all(
    shards.map((shard) => query<ShardProgress>(client, workflowIds.shard(run, shard))),
  );
  return responses.filter((response) => response !== null);
}

async function query<Response>(client: Client, workflowId: string): Promise<Response | null> {
  try {
    return await callWithTimeout(client, responseTimeoutMs.short, () =>
      client.workflow.getHandle(workflowId).query<Response>(messages.progress),
    );
  } catch (error) {
    // The worker has answered, but the response cannot be decrypted here.
    if (isUnreadableError(error)) throw error;
    // The error is ignored, because a missing, a busy and a starting worker all cause the same errors.
    return null;
  }
}

/** How a run closed, with its result or the cause that stopped it. */
export interface RunClosing {
  result: RunResult | null;
  cause: RunCause | null;
  /** Message of the failure. It matters only if there is neither a result nor a cause. */
  message: string;
}

export async function readRunEnd(client: Client, snapshot: RunSnapshot): Promise<RunClosing> {
  const handle = client.workflow.getHandle<(start: RunStart) => Promise<RunResult>>(
    snapshot.run,
    snapshot.executionId,
  );
  try {
    const result = await callWithTimeout(client, responseTimeoutMs.usual, () => handle.result());
    return { result, cause: null, message: '' };
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'WorkflowFailedError') throw error;
    const end = runEndOfFailure(error.cause);
    // A terminated run has no failure of its own, so the message comes from the reason in its history.
    if (snapshot.status !== 'terminated') return end;
    const execution = { workflowId: snapshot.run, runId: snapshot.executionId };
    return { ...end, message: (await readCloseReason(client, execution)) ?? end.message };
  }
}

export function runEndOfFailure(failure: unknown): RunClosing {
  const { type, details, message } = asRecord(failure);
  const detail: unknown = Array.isArray(details) ? details[0] : undefined;
  const text = typeof message === 'string' ? message : null;
  if (type === 'RunFailed') {
    const result = isRunResult(detail) ? detail : null;
    return { result, cause: result?.cause ?? null, message: '' };
  }
  if (type !== runCauseType)
    return { result: null, cause: null, message: text ?? 'no reason given' };
  return { result: null, cause: isRunCause(detail) ? detail : null, message: text ?? '' };
}

function isRunResult(detail: unknown): detail is RunResult {
  return typeof asRecord(detail)['outcome'] === 'string';
}

function isRunCause(detail: unknown): detail is RunCause {
  return typeof asRecord(detail)['kind'] === 'string';
}

export function isNotFoundError(error: unknown): boolean {
  return error instanceof Error && error.name === 'WorkflowNotFoundError';
}

function runNotFoundError(run: string): RenderlineError {
  return new RenderlineError(commandFailures.RUN_NOT_FOUND, `The run "${run}" does not exist.`);
}
