// What a worker does with where its version stands: it looks for all where the lookout chose it, or where nobody else can.
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
  /** Told whether the lookout chose this worker. */
  onLookout: (isOurs: boolean) => void;
  stop: () => void;
}

/** @param setLooks told whether this worker is to look for all */
export function followRouting(
  client: Client,
  { taskQueue, version, takesOver = false, onStanding }: Followed,
  post: LookoutPost,
  setLooks: (isOurs: boolean) => void,
): Routing {
  if (version === undefined) return { onLookout: setLooks, stop: () => undefined };
  let isChosen: boolean | null = null;
  // The lookout is moved on by workers of the current version: without one nobody would be chosen, and runs that are pinned
  // to this version wait for looks, too.
  let isAlone = false;
  const decide = () => {
    if (isChosen !== null) setLooks(isChosen || isAlone);
  };
  const follower = followVersion(client, taskQueue, { version, takesOver }, (standing) => {
    isAlone = standing.is === 'aside' && !standing.currentHasWorkers;
    // Looks of new runs may need what only the new build knows.
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
