// Sets which version of a deployment receives new runs.

import type { Client } from '@temporalio/client';
import { readMonotonicMs } from '../../api/clock.ts';
import { findGrpcStatus, grpcCode } from '../../failures/grpc-status.ts';
import { callWithTimeout, responseTimeoutMs } from '../call-with-timeout.ts';
import { type Deployment, readDeployment } from './deployment.ts';

export interface SetRoutingOptions {
  /** True to ignore that the version has no pollers or does not poll all task queues of the previous version. */
  force?: boolean | undefined;
}

type RoutingRequest = Parameters<Client['workflowService']['setWorkerDeploymentCurrentVersion']>[0];
type RoutedDeployment = Pick<Deployment, 'name' | 'conflictToken'>;

/** Routes new runs to a build, or to unversioned workers. @throws FAILED_PRECONDITION if the routing has changed */
export async function setCurrentVersion(
  client: Client,
  deployment: RoutedDeployment,
  buildId: string | null,
  options: SetRoutingOptions = {},
): Promise<void> {
  await changeRouting(client, deployment, { buildId, ...options }, (request) =>
    client.workflowService.setWorkerDeploymentCurrentVersion(request),
  );
}

/** Routes a share of new runs to a build. @param buildId null ends the ramp @param percent 0 to 100 */
export async function setRampingVersion(
  client: Client,
  deployment: RoutedDeployment,
  buildId: string | null,
  percent: number,
  options: SetRoutingOptions = {},
): Promise<void> {
  const percentage = buildId === null ? 0 : percent;
  await changeRouting(client, deployment, { buildId, ...options }, (request) =>
    client.workflowService.setWorkerDeploymentRampingVersion({ ...request, percentage }),
  );
}

/**
 * Changes the routing. The server propagates a change to every task queue before it responds, and may exceed its own
 * deadline on a busy machine. In that case the change may be effective, so it is repeated with a new conflict token.
 */
async function changeRouting(
  client: Client,
  { name, conflictToken }: RoutedDeployment,
  { buildId, force = false }: SetRoutingOptions & { buildId: string | null },
  change: (request: RoutingRequest) => Promise<unknown>,
): Promise<void> {
  const { namespace, identity } = client.options;
  const request = {
    namespace,
    identity,
    deploymentName: name,
    buildId: buildId ?? '',
    ignoreMissingTaskQueues: force,
    allowNoPollers: force,
  };
  const deadlineMs = readMonotonicMs() + responseTimeoutMs.usual;
  for (let token = conflictToken; ; ) {
    try {
      await callWithTimeout(client, deadlineMs - readMonotonicMs(), () =>
        change({ ...request, conflictToken: token }),
      );
      return;
    } catch (error) {
      const isTimeout = findGrpcStatus(error)?.code === grpcCode.deadlineExceeded;
      if (!isTimeout || readMonotonicMs() >= deadlineMs) throw error;
      token = (await readDeployment(client, name))?.conflictToken ?? token;
    }
  }
}
