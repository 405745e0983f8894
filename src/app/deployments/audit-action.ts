// Writes actions on a deployment to the audit log.
import type { Client } from '@temporalio/client';
import type { RecordedAction } from '../../plan/contract/audit-contract.ts';
import { withAuditRecord } from '../../temporal/audit/record-act.ts';
import { type Deployment, readVersionQueues } from '../../temporal/deployments/deployment.ts';

/**
 * Does the work and writes it to the audit log of one of the deployment's task queues.
 * @throws NotRecordedError before the work starts, if the log cannot be written; errors of `work` unchanged
 */
export async function auditDeploymentAction<T>(
  client: Client,
  deployment: Pick<Deployment, 'name' | 'versions'>,
  act: Pick<RecordedAction, 'what' | 'reason' | 'details'>,
  work: () => Promise<T>,
): Promise<T> {
  const { name } = deployment;
  const of = { subject: 'deployment', name, pipeline: null } as const;
  const taskQueue = await findAuditQueue(client, deployment);
  return withAuditRecord({ client, taskQueue }, { ...act, ...of }, work);
}

/**
 * A task queue of the newest version that is not drained. If there is none, returns the deployment's name, and the
 * entries wait until workers poll a queue of that name.
 */
async function findAuditQueue(
  client: Client,
  { name, versions }: Pick<Deployment, 'name' | 'versions'>,
): Promise<string> {
  for (const { buildId } of versions.filter(({ status }) => status !== 'drained')) {
    const [first] = (await readVersionQueues(client, { deployment: name, buildId })).sort();
    if (first !== undefined) return first;
  }
  return name;
}
