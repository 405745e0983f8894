// The task queues that a worker polls beside that of its runs: looks, urgent work, and those of its host.
import { Worker, type WorkerOptions } from '@temporalio/worker';
import { hostQueue, looksQueue, urgentQueue } from '../plan/queues.ts';
import { QueueWorker } from './queue-worker.ts';

const urgentAtOnce = 20;
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

/**
 * @param common what these workers have in common; they take activities alone
 * @param onLooksIdle told when looks under way have ended after a stop
 */
export function sideQueues(
  common: Omit<WorkerOptions, 'taskQueue'> & { shutdownGraceTime: number },
  { taskQueue, host }: { taskQueue: string; host: string },
  onLooksIdle: () => void,
): SideQueues {
  const polling = (queue: string, more: Partial<typeof common> = {}, onIdle?: () => void) => {
    const options = { ...common, taskQueue: queue, ...more };
    const endsWithinMs = options.shutdownGraceTime + forcedAfterMs;
    return new QueueWorker({ name: queue, endsWithinMs }, () => Worker.create(options), onIdle);
  };
  const looksOf = (queue: string, onIdle?: () => void) =>
    polling(looksQueue(queue), { shutdownGraceTime: looksGraceMs }, onIdle);
  const urgentOf = (queue: string) =>
    polling(urgentQueue(queue), { maxConcurrentActivityTaskExecutions: urgentAtOnce });
  const looks = looksOf(taskQueue, onLooksIdle);
  const own = hostQueue(taskQueue, host);
  return {
    looks,
    all: [looks, urgentOf(taskQueue), polling(own), looksOf(own), urgentOf(own)],
  };
}
