// Chooses the deployment version of a worker: the given version or, by default, the version of its task queue, if any.
import type { Client } from '@temporalio/client';
import { grpcCode, hasGrpcCode } from '../../failures/grpc-status.ts';
import { readDeployment } from './deployment.ts';
import { readQueue } from './queue-routing.ts';
import { noDeployment, type WorkerVersion } from './worker-version.ts';

export interface ChosenVersion {
  /** Version of the worker. Null if it is not versioned. */
  version: WorkerVersion | null;
  /** True if no deployment was given and the worker joined the deployment of its task queue. */
  isJoined: boolean;
  /** A warning for the person who started the worker. Null if there is none. */
  warning: string | null;
}

/**
 * Chooses the version. If no deployment is given and the queue's tasks are routed to one, the worker joins that
 * deployment with its own build, because an unversioned worker would not receive tasks.
 * @param deployment if undefined, the deployment of the queue
 */
export async function chooseVersion(
  client: Client,
  taskQueue: string,
  { deployment, buildId }: { deployment: string | undefined; buildId: string },
): Promise<ChosenVersion> {
  try {
    if (deployment !== undefined && deployment !== noDeployment) {
      // A server without this feature fails here already, and not only when the worker polls.
      await readDeployment(client, deployment);
      return { version: { deployment, buildId }, isJoined: false, warning: null };
    }
    const { routing } = await readQueue(client, taskQueue);
    const routedVersion = routing.current ?? routing.ramping?.version ?? null;
    if (deployment === undefined) {
      const version = routedVersion && { deployment: routedVersion.deployment, buildId };
      return { version, isJoined: version !== null, warning: null };
    }
    const warning =
      routing.current === null
        ? null
        : `this worker is not versioned, and tasks of ${taskQueue} go to deployment ${routing.current.deployment}, so the worker gets no runs. Start the worker without --deployment ${noDeployment}`;
    return { version: null, isJoined: false, warning };
  } catch (error) {
    if (!hasGrpcCode(error, grpcCode.unimplemented)) throw error;
    const isRequested = deployment !== undefined && deployment !== noDeployment;
    const warning = isRequested
      ? `this Temporal server does not support worker deployments, so the worker is not versioned; any worker may run any run`
      : null;
    return { version: null, isJoined: false, warning };
  }
}
