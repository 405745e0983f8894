// Decides whether a worker polls for all workers: if it was elected leader, or if its version is the only one with workers.
import type { Client } from '@temporalio/client';
import type { PollLeader } from '../../../../activities/poll-leader.ts';
import type { RoutingStatus } from '../../../temporal/deployments/routing-status.ts';
import { watchVersion } from '../../../temporal/deployments/watch-version.ts';
import type { WorkerVersion } from '../../../temporal/deployments/worker-version.ts';

interface WatchedWorker {
  taskQueue: string;
  version?: WorkerVersion;
  takesOver?: boolean;
  onRoutingStatus?: (status: RoutingStatus) => void;
}

export interface Routing {
  /** Called with whether this worker was elected leader. */
  onLeadership: (isLeader: boolean) => void;
  stop: () => void;
}

/** @param setPolling called with whether this worker should poll for all workers */
export function watchRouting(
  client: Client,
  { taskQueue, version, takesOver = false, onRoutingStatus }: WatchedWorker,
  pollLeader: PollLeader,
  setPolling: (isLeader: boolean) => void,
): Routing {
  if (version === undefined) return { onLeadership: setPolling, stop: () => undefined };
  let isChosen: boolean | null = null;
  // Workers of the current version run the election. Without such workers no leader is elected, but runs that are pinned to
  // this version need polls too.
  let hasNoOtherPoller = false;
  const decide = () => {
    if (isChosen !== null) setPolling(isChosen || hasNoOtherPoller);
  };
  const stop = watchVersion(client, taskQueue, { version, takesOver }, (status) => {
    hasNoOtherPoller = status.kind === 'not-current' && !status.currentHasWorkers;
    // Polls of new runs may need code of the new build.
    if (status.kind === 'not-current' && status.currentHasWorkers) pollLeader.stepDown();
    decide();
    onRoutingStatus?.(status);
  });
  return {
    onLeadership(isLeader) {
      isChosen = isLeader;
      decide();
    },
    stop,
  };
}
