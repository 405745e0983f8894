// Elects the worker that polls the platform for all workers of a task queue (the poll leader). A workflow decides, and the
// workers keep that workflow open.

import type { Client } from '@temporalio/client';
import type { PollLeader } from '../../../../activities/poll-leader.ts';
import { workflowIds, workflowNames } from '../../../plan/contract/contract.ts';
import { callWithTimeout, responseTimeoutMs } from '../../../temporal/call-with-timeout.ts';

/** Interval at which workers start the workflow again if it is not open, for example because somebody terminated it. */
const ensureIntervalMs = 30_000;
/**
 * A single worker becomes leader within this time, even if the previous leader was killed a moment ago. Until then each
 * worker polls for itself: two pollers cost requests, but no poller costs time.
 */
const electionTimeoutMs = 13_000;

/**
 * Keeps the election workflow open.
 * @param onLeadership called with whether this worker is the leader. Until the first decision each worker polls for itself.
 * @returns a function that stops the interval and resigns the leadership
 */
export function joinPollLeaderElection(
  client: Client,
  taskQueue: string,
  pollLeader: PollLeader,
  onLeadership: (isLeader: boolean) => void,
): () => void {
  let isDecided = false;
  let electionTimer: NodeJS.Timeout | undefined;
  const decide = () => {
    isDecided = true;
    onLeadership(pollLeader.isLeader);
  };
  const ensureWorkflow = async () => {
    try {
      await callWithTimeout(client, responseTimeoutMs.short, () =>
        client.workflow.start(workflowNames.pollLeader, {
          workflowId: workflowIds.pollLeader(taskQueue),
          taskQueue,
          workflowIdConflictPolicy: 'USE_EXISTING',
          staticSummary: 'Elects the worker that polls for all',
        }),
      );
      if (!isDecided) electionTimer ??= setTimeout(decide, electionTimeoutMs);
    } catch {
      // Retried at the next interval. Without a Temporal server there is nothing to poll for.
    }
  };
  pollLeader.onChange = (isLeader) => {
    if (isDecided || isLeader) decide();
    // Somebody may have terminated the workflow.
    if (!isLeader) void ensureWorkflow();
  };
  const timer = setInterval(() => void ensureWorkflow(), ensureIntervalMs);
  void ensureWorkflow();
  return () => {
    clearInterval(timer);
    clearTimeout(electionTimer);
    pollLeader.resign();
  };
}
