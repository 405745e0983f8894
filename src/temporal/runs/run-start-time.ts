// Determines when a run started, even if it has continued as new since then, or if a backfill started it.
import type { Client } from '@temporalio/client';
import { findWorkflow } from '../codec/tolerant-reader.ts';

/** The latest execution of a run. */
export interface LatestExecution {
  workflowId: string;
  /** Temporal's run id of the execution. */
  runId: string;
  startTime: Date;
}

/** A scheduled run that starts within this time of the time in its id counts as started on time. */
const usualDelayMs = 60_000;

/**
 * Reads a run's start, epoch ms. Temporal lists only the start of the latest execution. An earlier time in the run's id
 * is the start of the run, unless a schedule started it. It may then be the past time of a backfill, and the first
 * execution is looked up. The time in the id is used if Temporal no longer knows that execution.
 */
export async function readStartTime(
  client: Client,
  latestExecution: LatestExecution,
): Promise<number> {
  const startedAtMs = findStartTime(latestExecution);
  if (startedAtMs !== null) return startedAtMs;
  const { workflowId, runId, startTime } = latestExecution;
  const describe = (executionId: string) => findWorkflow(client, workflowId, executionId);
  const firstRunId = (await describe(runId))?.raw.workflowExecutionInfo?.firstRunId;
  if (firstRunId === runId) return startTime.getTime();
  const first = firstRunId ? await describe(firstRunId) : null;
  return first?.startTime.getTime() ?? parseRunIdTime(workflowId)?.atMs ?? startTime.getTime();
}

/** Returns the start of a run, as far as a list shows it, or null if `readStartTime` has to look the run up. */
export function findStartTime({
  workflowId,
  startTime,
}: Pick<LatestExecution, 'workflowId' | 'startTime'>): number | null {
  const listedAtMs = startTime.getTime();
  const timeInId = parseRunIdTime(workflowId);
  if (timeInId === null || timeInId.atMs >= listedAtMs) return listedAtMs;
  if (!timeInId.isScheduled) return timeInId.atMs;
  return listedAtMs - timeInId.atMs <= usualDelayMs ? listedAtMs : null;
}

interface NamedTime {
  atMs: number;
  /** True if the time is the one for which a schedule started the run. */
  isScheduled: boolean;
}

/**
 * Parses the time in a run's id: `-20261127-020000-1bb9`, or `-2026-11-27T02:00:00Z` for a schedule. Null without one.
 */
export function parseRunIdTime(run: string): NamedTime | null {
  const [, day = '', time = ''] = /-(\d{8})-(\d{6})-[0-9a-f]{4}$/.exec(run) ?? [];
  const [, scheduledTime] = /-(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)$/.exec(run) ?? [];
  const mintedTime = `${day.replace(/(\d{4})(\d\d)(\d\d)/, '$1-$2-$3')}T${time.replace(/(\d\d)(\d\d)(\d\d)/, '$1:$2:$3')}Z`;
  const atMs = Date.parse(scheduledTime ?? mintedTime);
  return Number.isNaN(atMs) ? null : { atMs, isScheduled: scheduledTime !== undefined };
}
