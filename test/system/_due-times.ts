// Waits until a server has processed due times of schedules, so that a test can see that another schedule started
// nothing.
import type { Client } from '@temporalio/client';
import { waitUntil } from './_stack.ts';

/** Waits until the server has processed this number of due times of a schedule that is due every second. */
export async function untilServerStarts(client: Client, count: number): Promise<void> {
  const scheduleId = `witness-${crypto.randomUUID()}`;
  const witness = await client.schedule.create({
    scheduleId,
    spec: { intervals: [{ every: '1s' }] },
    // No worker polls this queue, so the first workflow stays open and the later due times are skipped.
    action: {
      type: 'startWorkflow',
      workflowType: 'witness',
      taskQueue: scheduleId,
      workflowRunTimeout: '1m',
    },
  });
  try {
    await waitUntil('the server has processed the due times', async () => {
      const { info } = await witness.describe();
      return info.numActionsTaken + info.numActionsSkippedOverlap >= count;
    });
  } finally {
    await witness.delete();
  }
}
