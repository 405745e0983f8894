// Moves open runs from one version to another, or to the current one, when their version will have no more workers.

import type { Client } from '@temporalio/client';
import { callWithTimeout, ignoreNotFound, responseTimeoutMs } from '../call-with-timeout.ts';
import { listWorkflows } from '../codec/tolerant-reader.ts';
import { createPinnedQuery } from './deployment.ts';
import type { WorkerVersion } from './worker-version.ts';

/** Maximum number of workflows that one call moves. Further calls move the rest. */
const maxMoved = 10_000;

/** @returns ids of the workflows (runs and their shards) that were moved, or with `dryRun`, would be moved */
export async function moveRuns(
  client: Client,
  from: WorkerVersion,
  { to, dryRun = false }: { to: WorkerVersion | null; dryRun?: boolean },
): Promise<string[]> {
  const query = createPinnedQuery(from);
  const movedIds: string[] = [];
  for await (const { workflowId, runId } of listWorkflows(client, { query })) {
    if (movedIds.length >= maxMoved) break;
    if (dryRun || (await moveWorkflow(client, { workflowId, runId }, to)))
      movedIds.push(workflowId);
  }
  return movedIds;
}

/** False if the workflow has closed in the meantime. */
async function moveWorkflow(
  client: Client,
  workflowExecution: { workflowId: string; runId: string },
  to: WorkerVersion | null,
): Promise<boolean> {
  // `behavior: 1` is PINNED_OVERRIDE_BEHAVIOR_PINNED of temporal.api.workflow.v1.VersioningOverride.
  const pinnedTo = to && {
    behavior: 1,
    version: { deploymentName: to.deployment, buildId: to.buildId },
  };
  const update = await callWithTimeout(client, responseTimeoutMs.usual, () =>
    client.workflowService.updateWorkflowExecutionOptions({
      namespace: client.options.namespace,
      workflowExecution,
      workflowExecutionOptions: {
        versioningOverride: pinnedTo ? { pinned: pinnedTo } : { autoUpgrade: true },
      },
      updateMask: { paths: ['versioning_override'] },
    }),
  ).catch(ignoreNotFound);
  return update !== null;
}
