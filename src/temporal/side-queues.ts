// The additional task queues of a worker: for platform polling, for urgent work, and for its own host.
import { Worker, type WorkerOptions } from '@temporalio/worker';
import { hostQueue, looksQueue, urgentQueue } from '../plan/queues.ts';
import { versionedOptions } from './deployments/versioned-options.ts';
import type { WorkerVersion } from './deployments/worker-version.ts';
import { QueueWorker } from './queue-worker.ts';
import type { WorkerSlots } from './tuning/worker-slots.ts';

/** Platform polls are short, and polls that wait for a wake-up finish when they are asked to. */
const looksGraceMs = 5_000;
/** Time after the grace period before running attempts are abandoned, ms. */
export const forcedAfterMs = 10_000;

export interface SideQueues {
  /** Active while this worker is the poll leader. */
  looks: QueueWorker;
  /** All queues, including `looks`. */
  all: QueueWorker[];
}

interface SideWork {
  taskQueue: string;
  host: string;
  version?: WorkerVersion | undefined;
  slots: WorkerSlots;
}

/**
 * @param common options of all these workers, which run activities only
 * @param onLooksIdle called when the running polls have finished after polling stopped
 */
export function sideQueues(
  common: Omit<WorkerOptions, 'taskQueue'> & { shutdownGraceTime: number },
  { taskQueue, host, version, slots }: SideWork,
  onLooksIdle: () => void,
): SideQueues {
  const polling = (queue: string, more: Partial<typeof common> = {}, onIdle?: () => void) => {
    const options = { ...common, taskQueue: queue, ...more };
    const endsWithinMs = options.shutdownGraceTime + forcedAfterMs;
    return new QueueWorker({ name: queue, endsWithinMs }, () => Worker.create(options), onIdle);
  };
  const looksOf = (queue: string, onIdle?: () => void) =>
    polling(looksQueue(queue), { ...slots.usual, shutdownGraceTime: looksGraceMs }, onIdle);
  const urgentOf = (queue: string, more: Partial<typeof common> = {}) =>
    polling(urgentQueue(queue), { ...slots.urgent, ...more });
  const looks = looksOf(taskQueue, onLooksIdle);
  const own = hostQueue(taskQueue, host);
  return {
    looks,
    // The queues for polling and for hosts are unversioned: polls serve runs of every build, and there may be more hosts
    // than a version may have task queues.
    all: [
      looks,
      urgentOf(taskQueue, versionedOptions(version)),
      polling(own, slots.usual),
      looksOf(own),
      urgentOf(own),
    ],
  };
}
