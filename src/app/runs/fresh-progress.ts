// Updates a run's figures by querying its open shards. Shards rarely report, because each report adds to the history.
import type { Client } from '@temporalio/client';
import { type OpenShard, type RunProgress, workflowIds } from '../../plan/contract/contract.ts';
import { formatCount } from '../../plan/helpers/format-count.ts';
import {
  addWait,
  type ShardProgress,
  type StepCount,
  type StepWait,
} from '../../plan/shard/totals.ts';
import { callWithTimeout, responseTimeoutMs } from '../../temporal/call-with-timeout.ts';
import { readFailingActivity } from '../../temporal/runs/event-trigger-problem.ts';
import { findWorkflowStall, type WorkflowStall } from '../../temporal/runs/workflow-stall.ts';
import { queryProgress, queryShards } from './run-snapshot.ts';

/** Maximum number of shards to query. Few shards are open, unless many wait for receivers of `notify` webhooks. */
const maxShardsQueried = 40;
/** Maximum number of shards to check for failing workers. */
const maxShardsDescribed = 8;

/** Reads the run's figures and updates them by querying its open shards. Null if no worker answers in time. */
export async function readFreshProgress(client: Client, run: string): Promise<RunProgress | null> {
  const progress = await queryProgress(client, run);
  if (progress === null || progress.openShards.length === 0) return progress;
  const openShards = progress.openShards.slice(0, maxShardsQueried).map(({ shard }) => shard);
  return mergeShardProgress(progress, await queryShards(client, run, openShards));
}

/** The run or shard that is not making progress. */
export interface UnresponsiveWorkflow extends WorkflowStall {
  workflowId: string;
}

/** Finds out why an open shard stalls, or the run itself if `progress` is null. Returns null if no reason is found. */
export async function findUnresponsive(
  client: Client,
  progress: RunProgress | null,
  run: string,
): Promise<UnresponsiveWorkflow | null> {
  const shards = progress?.openShards.slice(0, maxShardsDescribed) ?? [];
  const ids = progress ? shards.map(({ shard }) => workflowIds.shard(run, shard)) : [run];
  const stalls = ids.map(async (workflowId) => {
    const stall = await findWorkflowStall(client, workflowId).catch(() => null);
    return stall && { workflowId, ...stall };
  });
  return (await Promise.all(stalls)).find((stall) => stall !== null) ?? null;
}

export function formatUnresponsive({ workflowId, why, fix }: UnresponsiveWorkflow): string {
  return `${workflowId}: ${why}. ${fix}`;
}

/**
 * Describes an activity that keeps failing, with its last error, or that waits for the platform. Null if there is none
 * or it is unknown.
 */
export async function findRetryMessage(client: Client, progress: RunProgress, run: string) {
  const shards = progress.openShards.slice(0, maxShardsDescribed);
  const ids = [run, ...shards.map(({ shard }) => workflowIds.shard(run, shard))];
  const failing = ids.map((id) => findFailingActivity(client, id).catch(() => null));
  const trouble = (await Promise.all(failing)).find((problem) => problem !== null);
  if (!trouble) return null;
  const { attempts, message, requests } = trouble;
  if (attempts === null) return message;
  const uncounted =
    requests === undefined ? '' : `, ${formatCount(requests, 'request')} not counted yet`;
  return `an activity fails and is retried (${formatCount(attempts, 'attempt')} so far${uncounted}): ${message}`;
}

async function findFailingActivity(client: Client, workflowId: string) {
  const describe = () => client.workflow.getHandle(workflowId).describe();
  const { raw } = await callWithTimeout(client, responseTimeoutMs.short, describe);
  return readFailingActivity(client.options, raw);
}

/** Merges newer shard figures into a run's figures. @param shards figures of the open shards that answered */
export function mergeShardProgress(
  progress: RunProgress,
  shards: readonly ShardProgress[],
): RunProgress {
  const waits: Record<string, StepWait> = {};
  const freshProgress: RunProgress = { ...structuredClone(progress), waits };
  for (const now of shards) {
    const openShard = freshProgress.openShards.find(({ shard }) => shard === now.shard);
    if (openShard) {
      replaceShardFigures(freshProgress, openShard.lastReport, now);
      openShard.lastReport = now;
    }
    for (const [step, wait] of Object.entries(now.waits ?? {})) {
      addWait(waits, step, wait);
    }
  }
  return freshProgress;
}

/** @param countedFigures figures of the shard that are already part of the run's figures */
function replaceShardFigures(
  freshProgress: RunProgress,
  countedFigures: OpenShard['lastReport'],
  { totals, steps, failures, requests = {}, historyEvents = 0 }: ShardProgress,
): void {
  // `total` is not updated, because the run counts all assets of a shard before the shard starts.
  for (const outcome of ['complete', 'failed', 'skipped'] as const) {
    const endedCount = totals[outcome] - (countedFigures.totals?.[outcome] ?? 0);
    freshProgress.totals[outcome] += endedCount;
    freshProgress.inFlight.assets = Math.max(0, freshProgress.inFlight.assets - endedCount);
  }
  for (const [id, now] of Object.entries(steps)) {
    const sum: StepCount = (freshProgress.steps[id] ??= {
      waiting: 0,
      running: 0,
      done: 0,
      failed: 0,
    });
    replaceCounts(sum, countedFigures.steps?.[id], now);
  }
  replaceCounts(freshProgress.requests, countedFigures.requests, requests);
  freshProgress.historyEvents += historyEvents - (countedFigures.historyEvents ?? 0);
  const knownKeys = new Set(freshProgress.failures.map(({ key }) => key));
  freshProgress.failures.push(...failures.filter(({ key }) => !knownKeys.has(key)));
}

/** Replaces the counts that are already part of a sum with the current ones. */
function replaceCounts<Name extends string>(
  sum: Record<Name, number>,
  counted: Partial<Record<Name, number>> = {},
  current: Record<Name, number>,
): void {
  for (const name of Object.keys(current) as Name[]) {
    sum[name] = (sum[name] ?? 0) - (counted[name] ?? 0) + current[name];
  }
}

/** Returns step rows in the order of the plan, or of the run's figures if the plan is unknown. */
export function stepRows(
  progress: RunProgress | null,
  order: readonly string[],
): { id: string; count: StepCount }[] {
  const steps = progress?.steps ?? {};
  const ids = order.length > 0 ? order : Object.keys(steps);
  return ids.flatMap((id) => (steps[id] ? { id, count: steps[id] } : []));
}
