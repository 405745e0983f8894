// Cancels shards whose run was terminated or failed. The server does not close the shards of large runs with their run,
// because it would also close them whenever the run continues as new.
import type { Client } from '@temporalio/client';
import { workflowNames } from '../../plan/contract/contract.ts';
import { callWithTimeout, ignoreNotFound, responseTimeoutMs } from '../call-with-timeout.ts';
import { listWorkflows } from '../codec/tolerant-reader.ts';
import { pollUntilStopped } from '../connection/poll-until-stopped.ts';
import { openAtQueue } from './open-workflows.ts';
import { isWorkflowOpen } from './workflow-queries.ts';

const pollIntervalMs = 20_000;

/** Cancels open shards of this task queue whose run is closed. @returns ids of the cancelled shards */
export async function cancelOrphans(client: Client, taskQueue: string): Promise<string[]> {
  const query = openAtQueue(workflowNames.shard, taskQueue);
  const isOpen = new Map<string, boolean>();
  const cancelledIds: string[] = [];
  for await (const { workflowId, parentExecution } of listWorkflows(client, { query })) {
    const run = parentExecution?.workflowId ?? null;
    if (run === null) continue;
    const isRunOpen = isOpen.get(run) ?? (await isWorkflowOpen(client, run));
    isOpen.set(run, isRunOpen);
    if (isRunOpen) continue;
    // The list may contain shards that have just closed.
    const response = await callWithTimeout(client, responseTimeoutMs.usual, () =>
      client.workflow.getHandle(workflowId).cancel().catch(ignoreNotFound),
    );
    if (response !== null) cancelledIds.push(workflowId);
  }
  return cancelledIds;
}

/** Cancels orphaned shards at intervals until the returned function is called. Ignores errors of the server. */
export function watchOrphans(client: Client, taskQueue: string): () => void {
  const times = { intervalMs: pollIntervalMs, firstMs: pollIntervalMs };
  return pollUntilStopped(times, async () => {
    await cancelOrphans(client, taskQueue);
    return undefined;
  });
}
