// Records what a person does to a deployment.
import type { Client } from '@temporalio/client';
import type { RecordedAct } from '../../plan/audit-contract.ts';
import { recorded } from '../../temporal/audit/record-act.ts';
import { type Deployment, queuesOf } from '../../temporal/deployments/deployment.ts';

/** @throws NotRecordedError before anything was done; what `work` throws */
export async function recordedFor<T>(
  client: Client,
  deployment: Pick<Deployment, 'name' | 'versions'>,
  act: Pick<RecordedAct, 'what' | 'reason' | 'details'>,
  work: () => Promise<T>,
): Promise<T> {
  const { name } = deployment;
  const of = { subject: 'deployment', name, pipeline: null } as const;
  const taskQueue = await queueOf(client, deployment);
  return recorded({ client, taskQueue }, { ...act, ...of }, work);
}

/** A queue of its newest version: its workers keep the log. Without one the log is named by the deployment, and waits. */
async function queueOf(
  client: Client,
  { name, versions }: Pick<Deployment, 'name' | 'versions'>,
): Promise<string> {
  for (const { buildId } of versions.filter(({ status }) => status !== 'drained')) {
    const [first] = (await queuesOf(client, { deployment: name, buildId })).sort();
    if (first !== undefined) return first;
  }
  return name;
}
