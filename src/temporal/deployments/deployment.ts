// Reads a worker deployment from Temporal.

import type { Client } from '@temporalio/client';
import { pinnedTypes } from '../../plan/contract/versioning.ts';
import {
  callWithTimeout,
  ignoreNotFound,
  readTokenPages,
  responseTimeoutMs,
} from '../call-with-timeout.ts';
import { formatVersion, type WorkerVersion } from './worker-version.ts';

/** Number of deployments of a namespace after which no further page is read. */
const maxDeployments = 100;

/** Value of temporal.api.enums.v1.TaskQueueType. */
const workflowTaskQueue = 1;

/** Status names of a version, in the order of Temporal's enum. */
const statuses = [
  'unknown',
  'inactive',
  'current',
  'ramping',
  'draining',
  'drained',
  'created',
] as const;
export type VersionStatus = (typeof statuses)[number];

export interface Version {
  buildId: string;
  /**
   * `current` and `ramping` get new runs. `created` never had workers. `inactive` never had runs. `draining` still has
   * open pinned runs. `drained` has none.
   */
  status: VersionStatus;
  createdAtMs: number | null;
  /** When the version last became current. Null if it never was, or if the server does not report it. */
  currentAtMs: number | null;
  /** When the version stopped being current or ramping. */
  endedAtMs: number | null;
}

export interface Deployment {
  name: string;
  /** Build that gets new runs. If null, unversioned workers get them. */
  current: string | null;
  /** True if the current version was ever set. */
  wasRouted: boolean;
  ramping: { buildId: string | null; percent: number } | null;
  /** Versions, newest first. */
  versions: Version[];
  /** Changes whenever the routing changes. */
  conflictToken: Uint8Array;
}

/** Returns a deployment, or null if unknown. @throws gRPC errors: UNIMPLEMENTED if the server lacks this feature */
export async function readDeployment(client: Client, name: string): Promise<Deployment | null> {
  const { namespace } = client.options;
  const response = await callWithTimeout(client, responseTimeoutMs.usual, () =>
    client.workflowService.describeWorkerDeployment({ namespace, deploymentName: name }),
  ).catch(ignoreNotFound);
  if (response === null) return null;
  const { routingConfig, versionSummaries } = response.workerDeploymentInfo ?? {};
  const ramp = routingConfig?.rampingVersionPercentage ?? 0;
  const ramping = routingConfig?.rampingDeploymentVersion?.buildId ?? null;
  return {
    name,
    current: routingConfig?.currentDeploymentVersion?.buildId || null,
    wasRouted: Boolean(routingConfig?.currentVersionChangedTime),
    ramping: ramping === null && ramp === 0 ? null : { buildId: ramping, percent: ramp },
    versions: (versionSummaries ?? [])
      .map((summary) => ({
        buildId: summary.deploymentVersion?.buildId ?? '',
        status: statuses[summary.status ?? 0] ?? 'unknown',
        createdAtMs: toMs(summary.createTime),
        currentAtMs: toMs(summary.lastCurrentTime),
        endedAtMs: toMs(summary.lastDeactivationTime),
      }))
      .toSorted((a, b) => (b.createdAtMs ?? 0) - (a.createdAtMs ?? 0)),
    conflictToken: response.conflictToken ?? new Uint8Array(),
  };
}

/** Lists the names of the deployments of the namespace, including those of other programs. */
export async function listDeploymentNames(client: Client): Promise<string[]> {
  const { namespace } = client.options;
  const names: string[] = [];
  const pages = readTokenPages(client, (nextPageToken) =>
    client.workflowService.listWorkerDeployments({ namespace, nextPageToken }),
  );
  for await (const { workerDeployments } of pages) {
    names.push(...(workerDeployments ?? []).map(({ name }) => name ?? ''));
    if (names.length >= maxDeployments) break;
  }
  return names.sort();
}

/**
 * Returns the version that was current before this one, or null if there was none. If the server does not report
 * when a version became current, returns the version that was last current or ramping.
 */
export function findPreviousVersion({ versions, current }: Deployment): Version | null {
  const saysCurrent = versions.some(({ currentAtMs }) => currentAtMs !== null);
  const timeOf = ({ currentAtMs, endedAtMs }: Version) => (saysCurrent ? currentAtMs : endedAtMs);
  const otherVersions = versions.filter(
    (version) => version.buildId !== current && timeOf(version) !== null,
  );
  return otherVersions.toSorted((a, b) => (timeOf(b) ?? 0) - (timeOf(a) ?? 0))[0] ?? null;
}

/** Reads the names of the workflow task queues that a version polls. */
export async function readVersionQueues(
  client: Client,
  { deployment, buildId }: WorkerVersion,
): Promise<string[]> {
  const { namespace } = client.options;
  const deploymentVersion = { deploymentName: deployment, buildId };
  const { versionTaskQueues } = await callWithTimeout(client, responseTimeoutMs.usual, () =>
    client.workflowService.describeWorkerDeploymentVersion({ namespace, deploymentVersion }),
  );
  return (versionTaskQueues ?? []).flatMap(({ name, type }) =>
    name && type === workflowTaskQueue ? [name] : [],
  );
}

/** Counts the workflows that match. @param query a result of `openWorkflowsQuery` or `createPinnedQuery` */
export async function countOpen(client: Client, query: string): Promise<number> {
  const { count } = await callWithTimeout(client, responseTimeoutMs.usual, () =>
    client.workflow.count(query),
  );
  return count;
}

/** Returns the visibility query for the open workflows of a version. */
export function openWorkflowsQuery(version: WorkerVersion): string {
  const condition = `TemporalWorkerDeploymentVersion = '${formatVersion(version)}'`;
  return `${condition} AND ExecutionStatus = 'Running'`;
}

const pinnedWorkflows = pinnedTypes.map((name) => `WorkflowType = '${name}'`).join(' OR ');

/** Returns the visibility query for the open workflows that are pinned to a version. */
export function createPinnedQuery(version: WorkerVersion): string {
  return `${openWorkflowsQuery(version)} AND (${pinnedWorkflows})`;
}

function toMs(stamp: { seconds?: unknown } | null | undefined): number | null {
  return stamp ? Number(stamp.seconds ?? 0) * 1_000 : null;
}
