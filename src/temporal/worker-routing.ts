// Decides whether a worker polls for all workers: if it was elected leader, or if its version is the only one with workers.
import type { Client } from '@temporalio/client';
import type { LookoutPost } from '../../activities/lookout-post.ts';
import { followVersion } from './deployments/follow-version.ts';
import type { Standing } from './deployments/standing.ts';
import type { WorkerVersion } from './deployments/worker-version.ts';

interface Followed {
  taskQueue: string;
  version?: WorkerVersion;
  takesOver?: boolean;
  onStanding?: (standing: Standing) => void;
}

export interface Routing {
  /** Called with whether this worker was elected leader. */
  onLookout: (isOurs: boolean) => void;
  stop: () => void;
}

/** @param setLooks called with whether this worker should poll for all workers */
export function followRouting(
  client: Client,
  { taskQueue, version, takesOver = false, onStanding }: Followed,
  post: LookoutPost,
  setLooks: (isOurs: boolean) => void,
): Routing {
  if (version === undefined) return { onLookout: setLooks, stop: () => undefined };
  let isChosen: boolean | null = null;
  // Workers of the current version run the election. Without such workers no leader is elected, but runs that are pinned to
  // this version need polls too.
  let isAlone = false;
  const decide = () => {
    if (isChosen !== null) setLooks(isChosen || isAlone);
  };
  const follower = followVersion(client, taskQueue, { version, takesOver }, (standing) => {
    isAlone = standing.is === 'aside' && !standing.currentHasWorkers;
    // Polls of new runs may need code of the new build.
    if (standing.is === 'aside' && standing.currentHasWorkers) post.stepAside();
    decide();
    onStanding?.(standing);
  });
  return {
    onLookout(isOurs) {
      isChosen = isOurs;
      decide();
    },
    stop: () => follower.stop(),
  };
}
