// Sets which version of a deployment gets new runs.

import type { Client } from '@temporalio/client';
import { callWithTimeout, responseTimeoutMs } from '../connection/call-with-timeout.ts';
import type { Deployment } from './deployment.ts';

export interface RoutingOptions {
  /** Set the version even if it has no pollers, or if the previous version has task queues that it does not poll. */
  force?: boolean | undefined;
}

/** @param buildId null: unversioned workers @throws FAILED_PRECONDITION if the routing has changed since it was read */
export async function setCurrent(
  client: Client,
  { name, conflictToken }: Pick<Deployment, 'name' | 'conflictToken'>,
  buildId: string | null,
  { force = false }: RoutingOptions = {},
): Promise<void> {
  const { namespace, identity } = client.options;
  await callWithTimeout(client, responseTimeoutMs.routing, () =>
    client.workflowService.setWorkerDeploymentCurrentVersion({
      namespace,
      identity,
      deploymentName: name,
      buildId: buildId ?? '',
      conflictToken,
      ignoreMissingTaskQueues: force,
      allowNoPollers: force,
    }),
  );
}

/** @param buildId null: ends the ramp @param percent share of new runs, 0 to 100 */
export async function setRamping(
  client: Client,
  { name, conflictToken }: Pick<Deployment, 'name' | 'conflictToken'>,
  buildId: string | null,
  percent: number,
  { force = false }: RoutingOptions = {},
): Promise<void> {
  const { namespace, identity } = client.options;
  await callWithTimeout(client, responseTimeoutMs.routing, () =>
    client.workflowService.setWorkerDeploymentRampingVersion({
      namespace,
      identity,
      deploymentName: name,
      buildId: buildId ?? '',
      percentage: buildId === null ? 0 : percent,
      conflictToken,
      ignoreMissingTaskQueues: force,
      allowNoPollers: force,
    }),
  );
}
