// Temporal's view of a run at one moment, in one shape for every way in which a run ends.
import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { looseFields } from '../../api/loose-fields.ts';
import { commandFailures } from '../../failures/commands.ts';
import {
  type RunProgress,
  type RunResult,
  type RunStart,
  runCauseType,
  workflowIds,
  workflowNames,
} from '../../plan/contract.ts';
import { messages } from '../../plan/messages.ts';
import { type RunCause } from '../../plan/run-cause.ts';
import { memoIn, type RunMemo } from '../../plan/run-memo.ts';
import { type ShardProgress } from '../../plan/totals.ts';
import { closeReason } from '../../temporal/close-reason.ts';
import { isUnreadable } from '../../temporal/codec/codec-errors.ts';
import { CliError } from '../exit.ts';

export interface RunSnapshot {
  run: string;
  pipeline: string;
  status: 'running' | 'completed' | 'failed' | 'cancelled' | 'terminated';
  startedAtMs: number;
  endedAtMs: number | null;
  memo: RunMemo | null;
  /** Execution of the workflow that the snapshot describes. */
  executionId: string;
  taskQueue: string;
  /** A worker has begun the run: its history is longer than what the server writes when it is started. */
  isTakenUp: boolean;
}

/** Events that the server writes before a worker takes a workflow up. */
const eventsOfStart = 2;

/** Longest wait for one answer of the Temporal server or of a worker. */
export const answerMs = 5_000;

/** Status and times of a run. @throws CliError when there is no run of that name. */
export async function readSnapshot(client: Client, run: string): Promise<RunSnapshot> {
  const handle = client.workflow.getHandle(run);
  const described = await client.withDeadline(Date.now() + answerMs, () =>
    handle.describe().catch((error: unknown) => {
      throw isNotFound(error) ? noSuchRun(run) : error;
    }),
  );
  if (described.type !== workflowNames.run) throw noSuchRun(run);
  return snapshotOf(described);
}

export function snapshotOf(
  info: Pick<
    WorkflowExecutionDescription,
    | 'workflowId'
    | 'runId'
    | 'status'
    | 'startTime'
    | 'closeTime'
    | 'memo'
    | 'taskQueue'
    | 'historyLength'
  >,
): RunSnapshot {
  const memo = memoIn(info.memo);
  return {
    run: info.workflowId,
    pipeline: memo?.pipeline ?? info.workflowId,
    status: statusOf(info.status.name),
    startedAtMs: info.startTime.getTime(),
    endedAtMs: info.closeTime?.getTime() ?? null,
    memo,
    executionId: info.runId,
    taskQueue: info.taskQueue,
    isTakenUp: info.historyLength > eventsOfStart,
  };
}

function statusOf(name: string): RunSnapshot['status'] {
  if (name === 'RUNNING' || name === 'CONTINUED_AS_NEW') return 'running';
  if (name === 'COMPLETED') return 'completed';
  if (name === 'CANCELLED') return 'cancelled';
  return name === 'FAILED' ? 'failed' : 'terminated';
}

/** The run's own figures; null when no worker answers in time. @throws CodecKeyMissingError, CodecKeyWrongError */
export async function queryProgress(client: Client, run: string): Promise<RunProgress | null> {
  return query<RunProgress>(client, run);
}

/** Finer figures of the shards in flight; those that do not answer are left out. */
export async function queryShards(
  client: Client,
  run: string,
  shards: readonly number[],
): Promise<ShardProgress[]> {
  const answers = await Promise.all(
    shards.map((shard) => query<ShardProgress>(client, workflowIds.shard(run, shard))),
  );
  return answers.filter((answer) => answer !== null);
}

async function query<Answer>(client: Client, workflowId: string): Promise<Answer | null> {
  try {
    return await client.withDeadline(Date.now() + answerMs, () =>
      client.workflow.getHandle(workflowId).query<Answer>(messages.progress),
    );
  } catch (error) {
    // The worker has answered, and what it said cannot be read here.
    if (isUnreadable(error)) throw error;
    // No worker, a busy one and a starting one look alike from here.
    return null;
  }
}

/** End of a run: its result, or the cause that belongs to the whole run. */
export interface RunEnd {
  result: RunResult | null;
  cause: RunCause | null;
  /** Message of the failure when there is neither. */
  message: string;
}

/** Reads the end of a run that is no longer running. */
export async function readEnd(client: Client, snapshot: RunSnapshot): Promise<RunEnd> {
  const handle = client.workflow.getHandle<(start: RunStart) => Promise<RunResult>>(
    snapshot.run,
    snapshot.executionId,
  );
  try {
    const result = await client.withDeadline(Date.now() + answerMs, () => handle.result());
    return { result, cause: null, message: '' };
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'WorkflowFailedError') throw error;
    const end = endOfFailure(error.cause);
    // A run that a person or the server ended has no failure of its own.
    if (snapshot.status !== 'terminated') return end;
    const execution = { workflowId: snapshot.run, runId: snapshot.executionId };
    return { ...end, message: (await closeReason(client, execution)) ?? end.message };
  }
}

/** Reads the failure that a run closed with. */
export function endOfFailure(failure: unknown): RunEnd {
  const { type, details, message } = looseFields(failure);
  const detail: unknown = Array.isArray(details) ? details[0] : undefined;
  const words = typeof message === 'string' ? message : null;
  if (type === 'RunFailed') {
    const result = isResult(detail) ? detail : null;
    return { result, cause: result?.cause ?? null, message: '' };
  }
  if (type === runCauseType) {
    return { result: null, cause: isCause(detail) ? detail : null, message: words ?? '' };
  }
  return { result: null, cause: null, message: words ?? 'no reason given' };
}

function isResult(detail: unknown): detail is RunResult {
  return typeof looseFields(detail)['outcome'] === 'string';
}

function isCause(detail: unknown): detail is RunCause {
  return typeof looseFields(detail)['kind'] === 'string';
}

export function isNotFound(error: unknown): boolean {
  return error instanceof Error && error.name === 'WorkflowNotFoundError';
}

function noSuchRun(run: string): CliError {
  return new CliError(commandFailures.RUN_NOT_FOUND, `There is no run "${run}".`);
}
