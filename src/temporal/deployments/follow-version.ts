// Watches the routing status of a worker's version, and makes the first version of a deployment current.
import type { Client } from '@temporalio/client';
import { readDeployment } from './deployment.ts';
import { readQueue } from './queue-routing.ts';
import { setCurrent } from './set-routing.ts';
import { type Standing, standingOf } from './standing.ts';
import type { WorkerVersion } from './worker-version.ts';

const everyMs = 15_000;
/** Shorter interval until the server knows the version, which it learns from the first polls of the workers. */
const soonMs = 500;
const soonTimes = 40;

export interface VersionFollower {
  stop: () => void;
}

/** Number of consecutive polls without workers of the current version, after which this version becomes current. */
const looksWithout = 3;

/**
 * Polls the routing status until it is stopped. Errors of the server are ignored until the next poll.
 * @param takesOver whether this version becomes current when the current version has no workers left; used if no deployment
 *   was given, so nobody chose a build
 * @param onStanding called with the first status and with each change
 */
export function followVersion(
  client: Client,
  taskQueue: string,
  { version, takesOver }: { version: WorkerVersion; takesOver: boolean },
  onStanding: (standing: Standing) => void,
): VersionFollower {
  let told = '';
  let without = 0;
  let looks = 0;
  let isOver = false;
  let timer: NodeJS.Timeout | undefined;
  const look = async () => {
    let standing = await lookAt(client, taskQueue, version);
    const isIdle = standing?.is === 'aside' && standing.current && !standing.currentHasWorkers;
    without = isIdle ? without + 1 : 0;
    if (takesOver && without >= looksWithout) standing = await takeOver(client, version);
    const text = JSON.stringify(standing);
    if (isOver || standing === null || text === told) return standing;
    told = text;
    onStanding(standing);
    return standing;
  };
  const lookThenWait = async () => {
    const standing = await look().catch(() => null);
    looks += 1;
    next(standing === null && looks < soonTimes ? soonMs : everyMs);
  };
  const next = (waitMs: number) => {
    if (isOver) return;
    timer = setTimeout(() => void lookThenWait(), waitMs);
    timer.unref();
  };
  next(0);
  return {
    stop() {
      isOver = true;
      clearTimeout(timer);
    },
  };
}

/** The routing status; null while the server does not know the version yet. */
async function lookAt(
  client: Client,
  taskQueue: string,
  version: WorkerVersion,
): Promise<Standing | null> {
  const { routing, pollers } = await readQueue(client, taskQueue);
  if (routing.current !== null || routing.ramping !== null) {
    return standingOf(version, routing, pollers);
  }
  const deployment = await readDeployment(client, version.deployment);
  if (!deployment?.versions.some(({ buildId }) => buildId === version.buildId)) return null;
  // If somebody routed the runs back to unversioned workers, or such workers are polling, the routing is left as it is.
  if (deployment.wasRouted || pollers.unversioned > 0) {
    return standingOf(version, routing, pollers);
  }
  await setCurrent(client, deployment, version.buildId);
  return { is: 'current' };
}

async function takeOver(client: Client, version: WorkerVersion): Promise<Standing> {
  const deployment = await readDeployment(client, version.deployment);
  if (deployment !== null) await setCurrent(client, deployment, version.buildId);
  return { is: 'current' };
}
