// Watches the routing status of a worker's version, and makes the first version of a deployment current.
import type { Client } from '@temporalio/client';
import { pollUntilStopped } from '../connection/poll-until-stopped.ts';
import { readDeployment } from './deployment.ts';
import { readQueue } from './queue-routing.ts';
import { computeRoutingStatus, type RoutingStatus } from './routing-status.ts';
import { setCurrentVersion } from './set-routing.ts';
import type { WorkerVersion } from './worker-version.ts';

const pollIntervalMs = 15_000;
/** Shorter interval until the server knows the version, which it learns from the first polls of the workers. */
const firstPollIntervalMs = 500;
const firstPolls = 40;

/** Number of consecutive polls without workers of the current version, after which this version becomes current. */
const pollsWithoutWorkers = 3;

/**
 * Polls the routing status until the returned function is called. Errors of the server are ignored until the next poll.
 * @param takesOver whether this version becomes current when the current version has no workers left. True if no
 * deployment was given, because nobody has chosen a build in that case
 * @param onRoutingStatus called with the first status and with each change
 */
export function watchVersion(
  client: Client,
  taskQueue: string,
  { version, takesOver }: { version: WorkerVersion; takesOver: boolean },
  onRoutingStatus: (status: RoutingStatus) => void,
): () => void {
  let lastReported = '';
  let idlePolls = 0;
  let polls = 0;
  const poll = async (isStopped: () => boolean) => {
    let status = await readStatus(client, taskQueue, version);
    const isIdle = status?.kind === 'not-current' && status.current && !status.currentHasWorkers;
    idlePolls = isIdle ? idlePolls + 1 : 0;
    if (takesOver && idlePolls >= pollsWithoutWorkers) status = await takeOver(client, version);
    const text = JSON.stringify(status);
    if (isStopped() || status === null || text === lastReported) return status;
    lastReported = text;
    onRoutingStatus(status);
    return status;
  };
  return pollUntilStopped({ intervalMs: pollIntervalMs }, async (isStopped) => {
    const status = await poll(isStopped).catch(() => null);
    polls += 1;
    return status === null && polls < firstPolls ? firstPollIntervalMs : undefined;
  });
}

/**
 * Returns the routing status, or null until the server knows the version. Makes the version current if nothing was ever
 * routed and no unversioned worker polls.
 */
async function readStatus(
  client: Client,
  taskQueue: string,
  version: WorkerVersion,
): Promise<RoutingStatus | null> {
  const { routing, pollers } = await readQueue(client, taskQueue);
  if (routing.current !== null || routing.ramping !== null) {
    return computeRoutingStatus(version, routing, pollers);
  }
  const deployment = await readDeployment(client, version.deployment);
  if (!deployment?.versions.some(({ buildId }) => buildId === version.buildId)) return null;
  // If somebody routed the runs back to unversioned workers, or such workers are polling, the routing is left as it is.
  if (deployment.wasRouted || pollers.unversioned > 0) {
    return computeRoutingStatus(version, routing, pollers);
  }
  await setCurrentVersion(client, deployment, version.buildId);
  return { kind: 'current' };
}

async function takeOver(client: Client, version: WorkerVersion): Promise<RoutingStatus> {
  const deployment = await readDeployment(client, version.deployment);
  if (deployment !== null) await setCurrentVersion(client, deployment, version.buildId);
  return { kind: 'current' };
}
