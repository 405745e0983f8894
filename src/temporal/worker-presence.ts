// Finds workers by the pollers that Temporal remembers for each task queue.

import type { Client } from '@temporalio/client';
import { atMsOf } from './at-ms-of.ts';
import { callWithTimeout, responseTimeoutMs } from './call-with-timeout.ts';
import { parseWorkerHost } from './worker-identity.ts';

// These are values of temporal.api.enums.v1.TaskQueueType. Importing the generated enum would load the whole protocol.
const workflowTaskQueue = 1;
const activityTaskQueue = 2;

/** A poll is recent within this time: a worker polls again within about a minute. */
const freshMs = 75_000;
/** The server remembers pollers for five minutes. One more minute allows for its delay. */
const rememberedMs = 6 * 60_000;

export interface WorkerPresence {
  workers: number;
  identities: string[];
  /** Hosts of the workers, sorted by name. */
  hosts: string[];
}

/**
 * Finds the workers that recently polled this task queue.
 * @param kind kind of tasks. A worker's additional queues have activities only
 */
export async function findWorkers(
  client: Client,
  taskQueue: string,
  nowMs: number,
  kind: 'workflows' | 'activities' = 'workflows',
): Promise<WorkerPresence> {
  const { pollers } = await readPollers(client, taskQueue, nowMs, kind);
  const identities = [...new Set(pollers.map(({ identity }) => identity ?? '?'))];
  const hosts = [
    ...new Set(identities.flatMap((identity) => parseWorkerHost(identity) ?? [])),
  ].sort();
  return { workers: identities.length, identities, hosts };
}

/** Reads the recent pollers of a task queue, all pollers that the server remembers, and the routing of the queue. */
export async function readPollers(
  client: Client,
  taskQueue: string,
  nowMs: number,
  kind: 'workflows' | 'activities' = 'workflows',
) {
  const { pollers, versioningInfo } = await callWithTimeout(client, responseTimeoutMs.usual, () =>
    client.workflowService.describeTaskQueue({
      namespace: client.options.namespace,
      taskQueue: { name: taskQueue },
      taskQueueType: kind === 'workflows' ? workflowTaskQueue : activityTaskQueue,
    }),
  );
  const seenAtMs = (pollers ?? []).map(({ lastAccessTime }) => atMsOf(lastAccessTime));
  const serverNowMs = estimateServerTime(nowMs, seenAtMs);
  const remembered = (pollers ?? []).map((poller) => {
    return { poller, silentMs: serverNowMs - atMsOf(poller.lastAccessTime) };
  });
  const freshPolls = remembered.filter(({ silentMs }) => silentMs < freshMs);
  return { pollers: freshPolls.map(({ poller }) => poller), remembered, versioningInfo };
}

/**
 * Estimates the server's time: `nowMs`, or the time of the latest poll if the clock of this machine must be wrong.
 * No poll can be in the future, or older than the server remembers.
 */
export function estimateServerTime(nowMs: number, seenAtMs: readonly number[]): number {
  const latestAtMs = Math.max(...seenAtMs);
  const isPossible = nowMs >= latestAtMs && nowMs - latestAtMs <= rememberedMs;
  return isPossible || seenAtMs.length === 0 ? nowMs : latestAtMs;
}
