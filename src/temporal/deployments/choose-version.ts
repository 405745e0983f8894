// Which version a worker is of, if of any: as it was told, else as the queue that it works for.
import { type Client, isGrpcServiceError } from '@temporalio/client';
import { grpcUnimplemented } from '../grpc-codes.ts';
import { readDeployment } from './deployment.ts';
import { readQueue } from './queue-routing.ts';
import { noDeployment, type WorkerVersion } from './worker-version.ts';

export interface Chosen {
  /** Null: the worker is not versioned. */
  version: WorkerVersion | null;
  /** Nobody named its deployment: it is of the queue's. */
  joined: boolean;
  /** Something that whoever started it should know; null where there is nothing. */
  warning: string | null;
}

/**
 * A queue whose tasks go to versions is joined as one more version, since a worker without one would get nothing there.
 * @param deployment undefined: as the queue has it
 */
export async function chooseVersion(
  client: Client,
  taskQueue: string,
  { deployment, buildId }: { deployment: string | undefined; buildId: string },
): Promise<Chosen> {
  try {
    if (deployment !== undefined && deployment !== noDeployment) {
      // A server without deployments says so here, and not only to a worker that asks for work.
      await readDeployment(client, deployment);
      return { version: { deployment, buildId }, joined: false, warning: null };
    }
    const { routing } = await readQueue(client, taskQueue);
    const routed = routing.current ?? routing.ramping?.version ?? null;
    if (deployment === undefined) {
      const version = routed && { deployment: routed.deployment, buildId };
      return { version, joined: version !== null, warning: null };
    }
    const warning =
      routing.current === null
        ? null
        : `this worker is not versioned, and tasks of ${taskQueue} go to deployment ${routing.current.deployment}: it gets no runs. Start it without --deployment ${noDeployment}`;
    return { version: null, joined: false, warning };
  } catch (error) {
    if (!isGrpcServiceError(error) || error.code !== grpcUnimplemented) throw error;
    const isAsked = deployment !== undefined && deployment !== noDeployment;
    const warning = isAsked
      ? `this Temporal server has no worker deployments, so the worker is not versioned; any worker takes any run`
      : null;
    return { version: null, joined: false, warning };
  }
}
