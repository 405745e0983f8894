// The task queues that a worker polls beside that of its runs: looks, urgent work, and those of its host.
import { Worker, type WorkerOptions } from '@temporalio/worker';
import { hostQueue, looksQueue, urgentQueue } from '../plan/queues.ts';
import { versionedOptions } from './deployments/versioned-options.ts';
import type { WorkerVersion } from './deployments/worker-version.ts';
import { QueueWorker } from './queue-worker.ts';
import type { WorkerSlots } from './tuning/worker-slots.ts';

/** Looks are short, and those that hints hold end when they are told to. */
const looksGraceMs = 5_000;
/** So long after their grace time attempts are given up. */
export const forcedAfterMs = 10_000;

export interface SideQueues {
  /** Polled while this worker looks for all. */
  looks: QueueWorker;
  /** With the looks. */
  all: QueueWorker[];
}

interface SideWork {
  taskQueue: string;
  host: string;
  version?: WorkerVersion | undefined;
  slots: WorkerSlots;
}

/**
 * @param common what these workers have in common; they take activities alone
 * @param onLooksIdle told when looks under way have ended after a stop
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
    // Looks are for everybody's runs, whatever their build, and there are more hosts than a version may have queues.
    all: [
      looks,
      urgentOf(taskQueue, versionedOptions(version)),
      polling(own, slots.usual),
      looksOf(own),
      urgentOf(own),
    ],
  };
}
