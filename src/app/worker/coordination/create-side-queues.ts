// The additional task queues of a worker: for platform polling, for urgent work, and for its own host.
import { Worker, type WorkerOptions } from '@temporalio/worker';
import { hostQueue, pollQueue, urgentQueueOf } from '../../../plan/run/queues.ts';
import { toVersionedOptions } from '../../../temporal/deployments/versioned-options.ts';
import type { WorkerVersion } from '../../../temporal/deployments/worker-version.ts';
import type { WorkerSlots } from '../../../temporal/tuning/worker-slots.ts';
import { QueueWorker } from './queue-worker.ts';

/** Grace period of platform polls at shutdown. It is short, because polls are short and held waits are released. */
const pollGraceMs = 5_000;
/** Time after the grace period before running attempts are abandoned, ms. */
export const forceShutdownAfterMs = 10_000;

export interface SideQueues {
  /** Active while this worker polls for all workers. */
  polls: QueueWorker;
  /** All queues, including `polls`. */
  all: QueueWorker[];
}

interface SideQueueOptions {
  taskQueue: string;
  host: string;
  version?: WorkerVersion | undefined;
  slots: WorkerSlots;
}

/**
 * @param common options of all these workers, which run only activities
 * @param onPollsIdle called when the running polls have finished after polling stopped
 */
export function createSideQueues(
  common: Omit<WorkerOptions, 'taskQueue'> & { shutdownGraceTime: number },
  { taskQueue, host, version, slots }: SideQueueOptions,
  onPollsIdle: () => void,
): SideQueues {
  const createQueueWorker = (
    queue: string,
    overrides: Partial<typeof common> = {},
    onIdle?: () => void,
  ) => {
    const options = { ...common, taskQueue: queue, ...overrides };
    const stopTimeoutMs = options.shutdownGraceTime + forceShutdownAfterMs;
    return new QueueWorker({ name: queue, stopTimeoutMs }, () => Worker.create(options), onIdle);
  };
  const createPollWorker = (queue: string, onIdle?: () => void) =>
    createQueueWorker(pollQueue(queue), { ...slots.usual, shutdownGraceTime: pollGraceMs }, onIdle);
  const urgentWorkerOf = (queue: string, overrides: Partial<typeof common> = {}) =>
    createQueueWorker(urgentQueueOf(queue), { ...slots.urgent, ...overrides });
  const polls = createPollWorker(taskQueue, onPollsIdle);
  const ownHostQueue = hostQueue(taskQueue, host);
  return {
    polls,
    // Queues for polls and hosts are unversioned: polls serve all builds, and hosts may exceed the queues of a version.
    all: [
      polls,
      urgentWorkerOf(taskQueue, toVersionedOptions(version)),
      createQueueWorker(ownHostQueue, slots.usual),
      createPollWorker(ownHostQueue),
      urgentWorkerOf(ownHostQueue),
    ],
  };
}
