// Runs that are pinned to a build: why nobody goes on with them, and what a person can do.
import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { type QueuePollers, type QueueRouting, readQueue } from './queue-routing.ts';
import { canonical, isSame, type WorkerVersion } from './worker-version.ts';

/** Value of temporal.api.enums.v1.VersioningBehavior. */
const isPinned = 1;

/** What a workflow that is pinned to a build can expect. */
export interface Pin {
  version: WorkerVersion;
  /** False: nobody takes its tasks. */
  hasWorkers: boolean;
  /** The build gets new runs too. */
  isCurrent: boolean;
  /** Since one of the build's workers asked for work, ms; null: Temporal remembers none. */
  silentMs: number | null;
}

/** Null where the workflow is not pinned: then any worker, or the build that is current, goes on with it. */
export async function pinOf(
  client: Client,
  { raw, taskQueue }: Pick<WorkflowExecutionDescription, 'raw' | 'taskQueue'>,
): Promise<Pin | null> {
  const info = raw.workflowExecutionInfo?.versioningInfo;
  const override = info?.versioningOverride;
  const behavior = override?.autoUpgrade ? null : override?.pinned ? isPinned : info?.behavior;
  const of = override?.pinned?.version ?? info?.deploymentVersion;
  if (behavior !== isPinned || !of?.deploymentName || !of.buildId) return null;
  const version = { deployment: of.deploymentName, buildId: of.buildId };
  return pinAt(version, await readQueue(client, taskQueue));
}

export function pinAt(
  version: WorkerVersion,
  { routing, pollers }: { routing: QueueRouting; pollers: QueuePollers },
): Pin {
  const name = canonical(version);
  return {
    version,
    hasWorkers: pollers.versions.has(name),
    isCurrent: isSame(version, routing.current),
    silentMs: pollers.silentMs.get(name) ?? null,
  };
}

/** The commands that let another build go on. Moved runs go to the build that is current, so that must be another one. */
export function moveCommands({ version, isCurrent }: Pick<Pin, 'version' | 'isCurrent'>): string {
  const { deployment, buildId } = version;
  const of = `--deployment ${deployment}`;
  const move = `renderline deployments move ${buildId} ${of}`;
  return isCurrent ? `renderline deployments rollback ${of}, then ${move}` : move;
}
