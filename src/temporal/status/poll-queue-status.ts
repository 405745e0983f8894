// Reads the status of a task queue from Temporal once a minute, if metrics are enabled. It sends no request to the
// platform and adds no history events.
import type { Client } from '@temporalio/client';
import { readMonotonicMs } from '../../api/clock.ts';
import { queueEvents } from '../../telemetry/events.ts';
import { pollUntilStopped } from '../connection/poll-until-stopped.ts';
import { readQueue } from '../deployments/queue-routing.ts';
import { FailingWorkflowsCounter } from './failing-workflows.ts';
import { readOpenRuns } from './open-runs.ts';
import { ScheduleStatusReader } from './schedule-status.ts';

const pollIntervalMs = 60_000;
/** Maximum share of time spent reading, so that a slow server is polled less often. */
const maxShare = 0.05;

/** Polls until the returned function is called. A part that cannot be read is null until the next poll. */
export function pollQueueStatus(client: Client, taskQueue: string): () => void {
  const workflows = new FailingWorkflowsCounter(client, taskQueue);
  const startTimes = new Map<string, number>();
  const schedules = new ScheduleStatusReader(client);
  return pollUntilStopped({ intervalMs: pollIntervalMs }, async (isStopped) => {
    const startedAtMs = readMonotonicMs();
    if (queueEvents.hasSubscribers) {
      const [openRuns, workers, failing, scheduleStatus] = await Promise.all([
        nullOnError(readOpenRuns(client, taskQueue, startTimes)),
        nullOnError(readWorkers(client, taskQueue)),
        nullOnError(workflows.count()),
        nullOnError(schedules.read()),
      ]);
      if (!isStopped()) queueEvents.emit({ openRuns, workers, failing, schedules: scheduleStatus });
    }
    return Math.max(pollIntervalMs, (readMonotonicMs() - startedAtMs) / maxShare);
  });
}

async function readWorkers(client: Client, taskQueue: string): Promise<Map<string, number>> {
  const { pollers } = await readQueue(client, taskQueue);
  const { unversioned, versions } = pollers;
  return new Map([...versions, ...(unversioned > 0 ? [['', unversioned] as const] : [])]);
}

function nullOnError<T>(reading: Promise<T>): Promise<T | null> {
  return reading.catch(() => null);
}
