// Elects the worker of a task queue that polls for all workers. The worker that runs the single activity is the poll
// leader. Heartbeats add no history events, and if they stop, the server assigns the activity to another worker.
import { isCancellation, proxyActivities, setCurrentDetails } from '@temporalio/workflow';
import type { Activities } from '../src/plan/contract/contract.ts';
import { activitySummaries } from './activity-summaries.ts';
import { continueUnlessCancelled } from './continue-unless-cancelled.ts';

const { holdPollLeadership } = proxyActivities<Activities>({
  summary: activitySummaries.holdPollLeadership,
  startToCloseTimeout: '24h',
  heartbeatTimeout: '10s',
  retry: { initialInterval: '250ms', backoffCoefficient: 2, maximumInterval: '2s' },
  // The activity must not queue behind bulk work.
  priority: { priorityKey: 1 },
});

/** Maximum number of activities per execution. */
const maxTurns = 200;

export async function pollLeader(): Promise<never> {
  // A continuation has no static summary, so the Temporal UI shows the details that are set here.
  setCurrentDetails('Elects the worker that polls the platform for all of its task queue.');
  for (let turn = 0; turn < maxTurns; turn += 1) {
    try {
      await holdPollLeadership({});
    } catch (error) {
      if (isCancellation(error)) throw error;
    }
  }
  return continueUnlessCancelled<typeof pollLeader>([]);
}
