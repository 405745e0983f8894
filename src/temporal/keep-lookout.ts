// Which worker of a task queue looks for all: decided by a workflow, which workers keep open.
import type { Client } from '@temporalio/client';
import type { LookoutPost } from '../../activities/lookout-post.ts';
import { workflowIds, workflowNames } from '../plan/contract.ts';

const answerMs = 5_000;
/** Somebody may end the workflow by hand; workers start it again. */
const everyMs = 30_000;
/**
 * A worker that is alone is given the post within this time, also where the one before it was killed a moment ago. Until then it
 * looks for itself: two that look cost requests, none that looks costs time.
 */
const givenWithinMs = 13_000;

/**
 * Keeps the workflow open.
 * @param onLookout told whether this worker looks for all. Until a server has decided each one looks for itself.
 * @returns ends that
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
          staticSummary: 'The worker that looks for all',
        }),
      );
      if (!isDecided) soon ??= setTimeout(decide, givenWithinMs);
    } catch {
      // It is tried again; without a server there is nothing to look for.
    }
  };
  post.onChange = (isOurs) => {
    if (isDecided || isOurs) decide();
    // The workflow may have been ended by hand.
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
