// Finds workers: for each task queue Temporal keeps who asked for work and when.
import type { Client } from '@temporalio/client';
import { hostOf } from './worker-identity.ts';

// Values of temporal.api.enums.v1.TaskQueueType; importing the generated enum would load the whole protocol.
const workflowTasks = 1;
const activityTasks = 2;

/** A worker asks again within about a minute. */
const freshMs = 75_000;
/** The server remembers pollers for five minutes; one more is for its own lateness. */
const rememberedMs = 6 * 60_000;

export interface WorkerPresence {
  workers: number;
  /** Names that the workers set. */
  identities: string[];
  /** Their hosts, in the order of their names. */
  hosts: string[];
}

/**
 * Workers that recently asked this task queue for tasks.
 * @param of queues beside that of the workflows have activities alone
 */
export async function findWorkers(
  client: Client,
  taskQueue: string,
  nowMs: number,
  of: 'workflows' | 'activities' = 'workflows',
): Promise<WorkerPresence> {
  const { pollers } = await freshPollers(client, taskQueue, nowMs, of);
  const identities = [...new Set(pollers.map(({ identity }) => identity ?? '?'))];
  const hosts = [...new Set(identities.flatMap((identity) => hostOf(identity) ?? []))].sort();
  return { workers: identities.length, identities, hosts };
}

/** Who recently asked this task queue for tasks, who did of late, and where the queue's tasks go. */
export async function freshPollers(
  client: Client,
  taskQueue: string,
  nowMs: number,
  of: 'workflows' | 'activities' = 'workflows',
) {
  const { pollers, versioningInfo } = await client.withDeadline(Date.now() + 5_000, () =>
    client.workflowService.describeTaskQueue({
      namespace: client.options.namespace,
      taskQueue: { name: taskQueue },
      taskQueueType: of === 'workflows' ? workflowTasks : activityTasks,
    }),
  );
  const all = (pollers ?? []).map((poller) => {
    return { poller, atMs: Number(poller.lastAccessTime?.seconds ?? 0) * 1000 };
  });
  const serverMs = serverNow(
    nowMs,
    all.map(({ atMs }) => atMs),
  );
  const remembered = all.map(({ poller, atMs }) => ({ poller, silentMs: serverMs - atMs }));
  const fresh = remembered.filter(({ silentMs }) => silentMs < freshMs);
  return { pollers: fresh.map(({ poller }) => poller), remembered, versioningInfo };
}

/**
 * The server's time, as far as its own times tell of it. This machine's clock may be apart: what the server has seen is not in
 * the future, and what it remembers is not older than it remembers anything.
 */
export function serverNow(nowMs: number, seenAtMs: readonly number[]): number {
  const latestMs = Math.max(...seenAtMs);
  const isPossible = nowMs >= latestMs && nowMs - latestMs <= rememberedMs;
  return isPossible || seenAtMs.length === 0 ? nowMs : latestMs;
}
