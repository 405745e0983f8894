// Changes which version of a deployment gets new runs.
import type { Client } from '@temporalio/client';
import type { Deployment } from './deployment.ts';

/** The server tells every queue of the version before it answers. */
const answerMs = 20_000;

export interface RoutingOptions {
  /** Also where nobody asks for its work, or the version of before has queues that it has not. */
  force?: boolean;
}

/** @param buildId null: workers that are not versioned @throws FAILED_PRECONDITION where the routing has changed since it was read */
export async function setCurrent(
  client: Client,
  { name, conflictToken }: Pick<Deployment, 'name' | 'conflictToken'>,
  buildId: string | null,
  { force = false }: RoutingOptions = {},
): Promise<void> {
  const { namespace, identity } = client.options;
  await client.withDeadline(Date.now() + answerMs, () =>
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

/** @param buildId null: nothing is ramped any more @param percent of new runs, 0 to 100 */
export async function setRamping(
  client: Client,
  { name, conflictToken }: Pick<Deployment, 'name' | 'conflictToken'>,
  buildId: string | null,
  percent: number,
  { force = false }: RoutingOptions = {},
): Promise<void> {
  const { namespace, identity } = client.options;
  await client.withDeadline(Date.now() + answerMs, () =>
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
