// Reads once a minute what Temporal knows of a task queue, where somebody wants metrics. It sends no request to the platform
// and adds nothing to a history.
import type { Client } from '@temporalio/client';
import { monotonicMs } from '../../api/clock.ts';
import { toldQueue } from '../../telemetry/told.ts';
import { readQueue } from '../deployments/queue-routing.ts';
import { FailingWorkflowsReader } from './failing-workflows.ts';
import { readOpenRuns } from './open-runs.ts';
import { ScheduleStatusReader } from './schedule-status.ts';

const everyMs = 60_000;
/** A server that answers slowly is asked more rarely: reading takes this share of the time at most. */
const maxShare = 0.05;

/** Polls until the result is called. A part that cannot be read is null, and read again the next time. */
export function pollQueueStatus(client: Client, taskQueue: string): () => void {
  const workflows = new FailingWorkflowsReader(client, taskQueue);
  const schedules = new ScheduleStatusReader(client);
  let isOver = false;
  let timer: NodeJS.Timeout | undefined;
  const poll = async () => {
    const startedMs = monotonicMs();
    if (toldQueue.isHeard) {
      const [openRuns, workers, failing, scheduleStatus] = await Promise.all([
        orNull(readOpenRuns(client, taskQueue)),
        orNull(readWorkers(client, taskQueue)),
        orNull(workflows.read()),
        orNull(schedules.read()),
      ]);
      if (!isOver) toldQueue.tell({ openRuns, workers, failing, schedules: scheduleStatus });
    }
    if (isOver) return;
    const tookMs = monotonicMs() - startedMs;
    timer = setTimeout(() => void poll(), Math.max(everyMs, tookMs / maxShare));
    timer.unref();
  };
  void poll();
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}

async function readWorkers(client: Client, taskQueue: string): Promise<Map<string, number>> {
  const { pollers } = await readQueue(client, taskQueue);
  const { unversioned, versions } = pollers;
  return new Map([...versions, ...(unversioned > 0 ? [['', unversioned] as const] : [])]);
}

function orNull<T>(reading: Promise<T>): Promise<T | null> {
  return reading.catch(() => null);
}
