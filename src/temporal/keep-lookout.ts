// Elects the worker that polls the platform for all workers of a task queue (the poll leader). A workflow decides, and the
// workers keep that workflow open.
import type { Client } from '@temporalio/client';
import type { LookoutPost } from '../../activities/lookout-post.ts';
import { workflowIds, workflowNames } from '../plan/contract.ts';

const answerMs = 5_000;
/** Interval at which workers start the workflow again, in case somebody has terminated it. */
const everyMs = 30_000;
/**
 * A single worker becomes leader within this time, even if the previous leader was killed a moment ago. Until then each
 * worker polls for itself: two pollers cost requests, but no poller costs time.
 */
const givenWithinMs = 13_000;

/**
 * Keeps the election workflow open.
 * @param onLookout called with whether this worker is the leader. Until the first decision each worker polls for itself.
 * @returns a function that stops this and gives up the leadership
 */
export function keepLookout(
  client: Client,
  taskQueue: string,
  post: LookoutPost,
  onLookout: (isOurs: boolean) => void,
): () => void {
  let isDecided = false;
  let soon: NodeJS.Timeout | undefined;
  const decide = () => {
    isDecided = true;
    onLookout(post.isOurs);
  };
  const ensure = async () => {
    try {
      await client.withDeadline(Date.now() + answerMs, () =>
        client.workflow.start(workflowNames.lookout, {
          workflowId: workflowIds.lookout(taskQueue),
          taskQueue,
          workflowIdConflictPolicy: 'USE_EXISTING',
          staticSummary: 'Elects the worker that polls for all',
        }),
      );
      if (!isDecided) soon ??= setTimeout(decide, givenWithinMs);
    } catch {
      // Retried at the next interval. Without a Temporal server there is nothing to poll for.
    }
  };
  post.onChange = (isOurs) => {
    if (isDecided || isOurs) decide();
    // Somebody may have terminated the workflow.
    if (!isOurs) void ensure();
  };
  const timer = setInterval(() => void ensure(), everyMs);
  void ensure();
  return () => {
    clearInterval(timer);
    clearTimeout(soon);
    post.leave();
  };
}
