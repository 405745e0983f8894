// Decides which worker of a task queue looks for all. Whoever has the one activity is the lookout: its heartbeats leave no
// events, and when they cease the server gives the activity to another worker.
import { isCancellation, proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../src/plan/contract.ts';
import { continueUnlessCancelled } from './continue-unless-cancelled.ts';

const { keep_lookout } = proxyActivities<Activities>({
  startToCloseTimeout: '24h',
  heartbeatTimeout: '10s',
  retry: { initialInterval: '250ms', backoffCoefficient: 2, maximumInterval: '2s' },
  // Bulk work must not stand before it.
  priority: { priorityKey: 1 },
});

/** Of one execution. */
const turnsAtMost = 200;

export async function lookout(): Promise<never> {
  for (let turn = 0; turn < turnsAtMost; turn += 1) {
    try {
      await keep_lookout({});
    } catch (error) {
      if (isCancellation(error)) throw error;
    }
  }
  return continueUnlessCancelled<typeof lookout>([]);
}
