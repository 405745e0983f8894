// Reads which version the tasks of a queue are routed to, and which versions poll the queue.
import type { Client } from '@temporalio/client';
import { readPollers } from '../worker-presence.ts';
import type { WorkerVersion } from './worker-version.ts';

export interface QueueRouting {
  /** Version that the queue's tasks go to. If null, they go to unversioned workers. */
  current: WorkerVersion | null;
  ramping: { version: WorkerVersion | null; percent: number } | null;
}

export interface QueuePollers {
  unversioned: number;
  /** Number of workers by version, in the form of `formatVersion`. */
  versions: ReadonlyMap<string, number>;
  /** Time since a worker of a version last polled, ms. Versions without workers are included for a few minutes. */
  silentMs: ReadonlyMap<string, number>;
}

interface RawOptions extends RawVersion {
  workerVersioningMode?: unknown;
}

interface RawVersion {
  deploymentName?: string | null;
  buildId?: string | null;
}

/** Reads the routing and the pollers of the workflow task queue. */
export async function readQueue(
  client: Client,
  taskQueue: string,
): Promise<{ routing: QueueRouting; pollers: QueuePollers }> {
  const { pollers, remembered, versioningInfo } = await readPollers(client, taskQueue, Date.now());
  const current = versionOf(versioningInfo?.currentDeploymentVersion);
  const ramping = versionOf(versioningInfo?.rampingDeploymentVersion);
  const percent = versioningInfo?.rampingVersionPercentage ?? 0;
  const identities = new Map<string, Set<string>>();
  const silentMs = new Map<string, number>();
  for (const { poller, silentMs: ms } of remembered) {
    const key = versionKeyOf(poller);
    silentMs.set(key, Math.min(ms, silentMs.get(key) ?? ms));
  }
  for (const poller of pollers) {
    const key = versionKeyOf(poller);
    const versionIdentities = identities.get(key) ?? new Set();
    identities.set(key, versionIdentities.add(poller.identity ?? '?'));
  }
  const counts = new Map([...identities].map(([key, { size }]) => [key, size]));
  const unversioned = counts.get('') ?? 0;
  counts.delete('');
  return {
    routing: {
      current,
      ramping: ramping === null && percent === 0 ? null : { version: ramping, percent },
    },
    pollers: { unversioned, versions: counts, silentMs },
  };
}

/** Returns the version of a poller in the form of `formatVersion`. Empty for an unversioned worker. */
function versionKeyOf({ deploymentOptions }: { deploymentOptions?: RawOptions | null }): string {
  // 2 is WORKER_VERSIONING_MODE_VERSIONED of temporal.api.enums.v1.
  const isVersioned = deploymentOptions?.workerVersioningMode === 2;
  return isVersioned ? `${deploymentOptions?.deploymentName}:${deploymentOptions?.buildId}` : '';
}

function versionOf(raw: RawVersion | null | undefined): WorkerVersion | null {
  const { deploymentName, buildId } = raw ?? {};
  return deploymentName && buildId ? { deployment: deploymentName, buildId } : null;
}
