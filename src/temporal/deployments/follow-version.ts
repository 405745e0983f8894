// Follows where a worker's version stands, and makes the first version of a deployment current.
import type { Client } from '@temporalio/client';
import { readDeployment } from './deployment.ts';
import { readQueue } from './queue-routing.ts';
import { setCurrent } from './set-routing.ts';
import { type Standing, standingOf } from './standing.ts';
import type { WorkerVersion } from './worker-version.ts';

const everyMs = 15_000;
/** Until the server has heard of the version: it takes the first polls. */
const soonMs = 500;
const soonTimes = 40;

export interface VersionFollower {
  stop: () => void;
}

/** Looks in a row at which the current version has no workers, before another takes its place. */
const looksWithout = 3;

/**
 * Looks now and then until it is stopped. A server that cannot be asked is asked again later.
 * @param takesOver it becomes current where the current version has no workers any more: nobody said which build is to work
 * @param onStanding told at first, and whenever it has changed
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

/** Null while the server has not heard of the version. */
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
  // Somebody who has given the runs back to workers without a version means it; such workers keep what they have.
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
