// Ends shards whose run has ended without them: it was terminated, or broke. Those of large runs are not ended by the
// server, since that would end them at each continuation of their run, too.
import type { Client } from '@temporalio/client';
import { workflowNames } from '../plan/contract.ts';
import { listWorkflows } from './codec/tolerant-reader.ts';
import { workflowIsOpen } from './open-workflows.ts';

/** Time between two looks of one worker. */
const everyMs = 20_000;

/** Cancels what goes on at this task queue without its run. @returns ids of the shards that were cancelled */
export async function cancelOrphans(client: Client, taskQueue: string): Promise<string[]> {
  const query = `WorkflowType = '${workflowNames.shard}' AND ExecutionStatus = 'Running' AND TaskQueue = '${taskQueue}'`;
  const isOpen = new Map<string, boolean>();
  const cancelled: string[] = [];
  for await (const { workflowId, parentExecution } of listWorkflows(client, { query })) {
    const run = parentExecution?.workflowId ?? null;
    if (run === null) continue;
    const goesOn = isOpen.get(run) ?? (await workflowIsOpen(client, run));
    isOpen.set(run, goesOn);
    if (goesOn) continue;
    await client.workflow.getHandle(workflowId).cancel();
    cancelled.push(workflowId);
  }
  return cancelled;
}

/** Looks now and then until it is stopped. A server that cannot be asked is asked again later. */
export function watchOrphans(client: Client, taskQueue: string): { stop: () => void } {
  let isOver = false;
  let timer: NodeJS.Timeout | undefined;
  const next = () => {
    if (isOver) return;
    timer = setTimeout(() => {
      cancelOrphans(client, taskQueue)
        .catch(() => undefined)
        .finally(next);
    }, everyMs);
    timer.unref();
  };
  next();
  return {
    stop() {
      isOver = true;
      clearTimeout(timer);
    },
  };
}
