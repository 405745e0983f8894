// Cancels shards whose run was terminated or failed. The server does not close the shards of large runs with their run,
// because it would also close them whenever the run continues as new.
import type { Client } from '@temporalio/client';
import { workflowNames } from '../../plan/contract/contract.ts';
import { callWithTimeout, ignoreNotFound, responseTimeoutMs } from '../call-with-timeout.ts';
import { listWorkflows } from '../codec/tolerant-reader.ts';
import { pollUntilStopped } from '../connection/poll-until-stopped.ts';
import { openAtQueue } from './open-workflows.ts';
import { isWorkflowOpen } from './workflow-queries.ts';
import { findWorkflowStall } from './workflow-stall.ts';

const pollIntervalMs = 20_000;
/** Time that a shard gets to process its cancellation, for example while workers restart or a deploy is rolled back. */
const stallPatienceMs = 10 * 60_000;

/**
 * Cancels open shards of this task queue whose run is closed. Terminates those that cannot process the cancellation,
 * because an open shard keeps its assets from all later runs. Its calls are recorded, so these runs take its work over.
 * @param stalledSinceMs since when shards make no progress, by id. Updated @param nowMs monotonic time
 * @returns ids of the cancelled shards
 */
export async function cancelOrphans(
  client: Client,
  taskQueue: string,
  stalledSinceMs = new Map<string, number>(),
  nowMs = performance.now(),
): Promise<string[]> {
  const query = openAtQueue(workflowNames.shard, taskQueue);
  const isOpen = new Map<string, boolean>();
  const cancelledIds = new Set<string>();
  for await (const { workflowId, parentExecution } of listWorkflows(client, { query })) {
    const run = parentExecution?.workflowId ?? null;
    if (run === null) continue;
    const isRunOpen = isOpen.get(run) ?? (await isWorkflowOpen(client, run));
    isOpen.set(run, isRunOpen);
    if (isRunOpen) continue;
    const handle = client.workflow.getHandle(workflowId);
    // The list may contain shards that have just closed.
    const response = await callWithTimeout(client, responseTimeoutMs.usual, () =>
      handle.cancel().catch(ignoreNotFound),
    );
    if (response === null) continue;
    cancelledIds.add(workflowId);
    // An error must not keep the other shards open. The next search reads the state again.
    const stall = await findWorkflowStall(client, workflowId).catch(() => undefined);
    if (stall === null) stalledSinceMs.delete(workflowId);
    if (!stall) continue;
    const sinceMs = stalledSinceMs.get(workflowId) ?? nowMs;
    stalledSinceMs.set(workflowId, sinceMs);
    if (nowMs - sinceMs < stallPatienceMs) continue;
    await callWithTimeout(client, responseTimeoutMs.usual, () =>
      handle
        .terminate(`run ${run} is closed, and this shard makes no progress`)
        .catch(ignoreNotFound),
    );
    stalledSinceMs.delete(workflowId);
  }
  // Shards that have closed are forgotten, because a later run may start shards with the same ids.
  for (const id of stalledSinceMs.keys()) if (!cancelledIds.has(id)) stalledSinceMs.delete(id);
  return [...cancelledIds];
}

/** Cancels orphaned shards at intervals until the returned function is called. Ignores errors of the server. */
export function watchOrphans(client: Client, taskQueue: string): () => void {
  const times = { intervalMs: pollIntervalMs, firstMs: pollIntervalMs };
  const stalledSinceMs = new Map<string, number>();
  return pollUntilStopped(times, async () => {
    await cancelOrphans(client, taskQueue, stalledSinceMs);
    return undefined;
  });
}
