// Sees to it that the workflow is open which decides which worker of a task queue looks for all.
import type { Client } from '@temporalio/client';
import { workflowIds, workflowNames } from '../plan/contract.ts';

const answerMs = 5_000;
/** Somebody may end the workflow by hand; workers start it again. */
const everyMs = 30_000;

export interface LookoutStarter {
  /** Asks now, since the post was lost. */
  ensure(): void;
  stop(): void;
}

export function keepLookoutOpen(client: Client, taskQueue: string): LookoutStarter {
  const start = async () => {
    try {
      await client.withDeadline(Date.now() + answerMs, () =>
        client.workflow.start(workflowNames.lookout, {
          workflowId: workflowIds.lookout(taskQueue),
          taskQueue,
          workflowIdConflictPolicy: 'USE_EXISTING',
          staticSummary: 'The worker that looks for all',
        }),
      );
    } catch {
      // The next one will, and without a server there is nothing to look for.
    }
  };
  const ensure = () => void start();
  const timer = setInterval(ensure, everyMs);
  ensure();
  return { ensure, stop: () => clearInterval(timer) };
}
