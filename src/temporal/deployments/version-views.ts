// Reads the workers and open workflows of each version of a deployment.
import type { Client } from '@temporalio/client';
import {
  countOpen,
  createPinnedQuery,
  type Deployment,
  openWorkflowsQuery,
  readVersionQueues,
  type Version,
} from './deployment.ts';
import { readQueue } from './queue-routing.ts';
import { formatVersion } from './worker-version.ts';

/** Maximum number of versions that are read in detail, in the order of `statusOrder`. */
const maxVersions = 30;

export interface VersionView extends Version {
  /** Number of workers of the version that polled recently. */
  workers: number;
  /** Number of open workflows of the version, including shards and internal workflows. */
  open: number;
  /** Number of runs and shards in `open`, which are pinned. Internal workflows move to the current version. */
  pinned: number;
  /** True if pinned workflows make no progress because the version has no workers. */
  stranded: boolean;
}

export interface DeploymentView extends Omit<Deployment, 'versions' | 'conflictToken'> {
  taskQueues: string[];
  versions: VersionView[];
}

const statusOrder = ['current', 'ramping', 'draining', 'inactive', 'created', 'unknown', 'drained'];

export async function readVersionViews(
  client: Client,
  { conflictToken: _token, versions, ...deployment }: Deployment,
): Promise<DeploymentView> {
  const name = deployment.name;
  const selectedVersions = versions
    .toSorted((a, b) => statusOrder.indexOf(a.status) - statusOrder.indexOf(b.status))
    .slice(0, maxVersions);
  const queues = new Set<string>();
  for (const { buildId, status } of selectedVersions) {
    // A drained version is skipped, because Temporal may delete it at any time.
    if (status === 'drained') continue;
    for (const queue of await readVersionQueues(client, { deployment: name, buildId }))
      queues.add(queue);
  }
  const workers = new Map<string, number>();
  for (const queue of queues) {
    const { pollers } = await readQueue(client, queue);
    for (const [key, count] of pollers.versions) workers.set(key, (workers.get(key) ?? 0) + count);
  }
  const views: VersionView[] = [];
  for (const version of selectedVersions) {
    const workerVersion = { deployment: name, buildId: version.buildId };
    const openCount = await countOpen(client, openWorkflowsQuery(workerVersion));
    const pinnedCount =
      openCount === 0 ? 0 : await countOpen(client, createPinnedQuery(workerVersion));
    const workerCount = workers.get(formatVersion(workerVersion)) ?? 0;
    views.push({
      ...version,
      workers: workerCount,
      open: openCount,
      pinned: pinnedCount,
      stranded: pinnedCount > 0 && workerCount === 0,
    });
  }
  return { ...deployment, taskQueues: [...queues].sort(), versions: views };
}
