// The routing status of a version at a task queue. Pure.
import type { QueuePollers, QueueRouting } from './queue-routing.ts';
import { formatVersion, isSameWorkerVersion, type WorkerVersion } from './worker-version.ts';

export type RoutingStatus =
  | { kind: 'current' }
  | { kind: 'ramping'; percent: number }
  /** The version gets only workflows pinned to it. If `current` is null, unversioned workers get the new runs. */
  | { kind: 'not-current'; current: WorkerVersion | null; currentHasWorkers: boolean };

export function computeRoutingStatus(
  version: WorkerVersion,
  { current, ramping }: QueueRouting,
  { unversioned, versions }: QueuePollers,
): RoutingStatus {
  if (isSameWorkerVersion(version, current)) return { kind: 'current' };
  if (ramping && isSameWorkerVersion(version, ramping.version)) {
    return { kind: 'ramping', percent: ramping.percent };
  }
  const workers = current === null ? unversioned : (versions.get(formatVersion(current)) ?? 0);
  return { kind: 'not-current', current, currentHasWorkers: workers > 0 };
}

/** Formats the targets of new runs, for example `build 8, 10% of them to build 9`. */
export function formatRouting({
  current,
  ramping,
}: {
  current: string | null;
  ramping: { buildId: string | null; percent: number } | null;
}): string {
  const ramp = ramping ? `, ${ramping.percent}% of them to ${formatBuild(ramping.buildId)}` : '';
  return `${formatBuild(current)}${ramp}`;
}

function formatBuild(buildId: string | null): string {
  return buildId === null ? 'unversioned workers' : `build ${buildId}`;
}

/** Formats the status as text for people. If the version is not current, the text says how to make it current. */
export function formatRoutingStatus(version: WorkerVersion, status: RoutingStatus): string {
  const { deployment, buildId } = version;
  const buildLabel = `build ${buildId} of deployment ${deployment}`;
  if (status.kind === 'current') return `${buildLabel} is current: it gets new runs`;
  if (status.kind === 'ramping') {
    return `${buildLabel} is ramping: it gets ${status.percent}% of new runs`;
  }
  const { current, currentHasWorkers } = status;
  const others = current === null ? 'unversioned workers' : `workers of build ${current.buildId}`;
  const nobody = currentHasWorkers ? '' : ', but no such worker is running';
  return `${buildLabel} is not current: it gets only runs that are pinned to it. New runs go to ${others}${nobody}. To route new runs to this build: renderline deployments set-current ${buildId} --deployment ${deployment}`;
}
