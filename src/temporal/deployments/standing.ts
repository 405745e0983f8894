// The routing status of a version at a task queue. Pure.
import type { QueuePollers, QueueRouting } from './queue-routing.ts';
import { canonical, isSame, type WorkerVersion } from './worker-version.ts';

export type Standing =
  | { is: 'current' }
  | { is: 'ramping'; percent: number }
  /** The version gets only workflows that are pinned to it. `current` null: unversioned workers get the new runs. */
  | { is: 'aside'; current: WorkerVersion | null; currentHasWorkers: boolean };

export function standingOf(
  version: WorkerVersion,
  { current, ramping }: QueueRouting,
  { unversioned, versions }: QueuePollers,
): Standing {
  if (isSame(version, current)) return { is: 'current' };
  if (ramping && isSame(version, ramping.version)) {
    return { is: 'ramping', percent: ramping.percent };
  }
  const workers = current === null ? unversioned : (versions.get(canonical(current)) ?? 0);
  return { is: 'aside', current, currentHasWorkers: workers > 0 };
}

/** The status as text for people. If the version is not current, the text says how to make it current. */
export function standingWords(version: WorkerVersion, standing: Standing): string {
  const { deployment, buildId } = version;
  const mine = `build ${buildId} of deployment ${deployment}`;
  if (standing.is === 'current') return `${mine} is current: it gets new runs`;
  if (standing.is === 'ramping') {
    return `${mine} is ramping: it gets ${standing.percent} % of new runs`;
  }
  const { current, currentHasWorkers } = standing;
  const others = current === null ? 'unversioned workers' : `build ${current.buildId}`;
  const nobody = currentHasWorkers ? '' : ', but none of them is running';
  return `${mine} is not current: it gets only runs that are pinned to it. New runs go to ${others}${nobody}. To route new runs to this build: renderline deployments set-current ${buildId} --deployment ${deployment}`;
}
