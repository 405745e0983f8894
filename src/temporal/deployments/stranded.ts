// Why nobody goes on with a workflow that is pinned to a version.
import type { Client } from '@temporalio/client';
import { readQueue } from './queue-routing.ts';
import { canonical } from './worker-version.ts';

const answerMs = 5_000;
/** Value of temporal.api.enums.v1.VersioningBehavior. */
const isPinned = 1;

/** In words; null where it is not pinned, or its version has workers. */
export async function strandedTrouble(client: Client, workflowId: string): Promise<string | null> {
  const { raw, taskQueue } = await client.withDeadline(Date.now() + answerMs, () =>
    client.workflow.getHandle(workflowId).describe(),
  );
  const info = raw.workflowExecutionInfo?.versioningInfo;
  const override = info?.versioningOverride;
  const behavior = override?.autoUpgrade ? null : override?.pinned ? isPinned : info?.behavior;
  const of = override?.pinned?.version ?? info?.deploymentVersion;
  if (behavior !== isPinned || !of?.deploymentName || !of.buildId) return null;
  const version = { deployment: of.deploymentName, buildId: of.buildId };
  const { pollers } = await readQueue(client, taskQueue);
  if (pollers.versions.has(canonical(version))) return null;
  const { deployment, buildId } = version;
  return `it is pinned to build ${buildId} of deployment ${deployment}, which has no workers: stranded. Start workers of that build again, or move its runs: renderline deployments move ${buildId} --deployment ${deployment}`;
}
