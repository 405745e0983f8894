// Reads whether a workflow is pinned to a build, whether that build has workers, and how to move the workflow.
import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { type QueuePollers, type QueueRouting, readQueue } from './queue-routing.ts';
import { formatVersion, isSameWorkerVersion, type WorkerVersion } from './worker-version.ts';

/** Value of temporal.api.enums.v1.VersioningBehavior. */
const pinnedBehavior = 1;

/** The build that a workflow is pinned to, and whether the build has workers. */
export interface Pin {
  version: WorkerVersion;
  /** False if no worker accepts the workflow's tasks. */
  hasWorkers: boolean;
  /** True if the build is current, so that it also gets new runs. */
  isCurrent: boolean;
  /** Time since a worker of the build last polled, ms. Null if Temporal remembers no poll. */
  silentMs: number | null;
}

/** Reads the pin of a workflow. Null without a pin, in which case any worker or the current build continues it. */
export async function readPin(
  client: Client,
  { raw, taskQueue }: Pick<WorkflowExecutionDescription, 'raw' | 'taskQueue'>,
): Promise<Pin | null> {
  const info = raw.workflowExecutionInfo?.versioningInfo;
  const override = info?.versioningOverride;
  const behavior = override?.autoUpgrade
    ? null
    : override?.pinned
      ? pinnedBehavior
      : info?.behavior;
  const pinnedVersion = override?.pinned?.version ?? info?.deploymentVersion;
  if (behavior !== pinnedBehavior || !pinnedVersion?.deploymentName || !pinnedVersion.buildId)
    return null;
  const version = { deployment: pinnedVersion.deploymentName, buildId: pinnedVersion.buildId };
  return pinOfVersion(version, await readQueue(client, taskQueue));
}

export function pinOfVersion(
  version: WorkerVersion,
  { routing, pollers }: { routing: QueueRouting; pollers: QueuePollers },
): Pin {
  const name = formatVersion(version);
  return {
    version,
    hasWorkers: pollers.versions.has(name),
    isCurrent: isSameWorkerVersion(version, routing.current),
    silentMs: pollers.silentMs.get(name) ?? null,
  };
}

/** Returns the commands that move runs to the current build, after a rollback if their own build is current. */
export function moveCommands({ version, isCurrent }: Pick<Pin, 'version' | 'isCurrent'>): string {
  const { deployment, buildId } = version;
  const option = `--deployment ${deployment}`;
  const move = `renderline deployments move ${buildId} ${option}`;
  return isCurrent ? `renderline deployments rollback ${option}, then ${move}` : move;
}
