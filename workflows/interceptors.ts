// Keeps a query from moving a workflow on. The server answers a query with the whole history, also where its last events
// have no started workflow task yet: a worker that has the workflow not in memory takes them as news, at the time of the
// task before, and the next task goes on from there. A replay hears them later, and all at once (decision 045).
import type { ActivateInput, WorkflowInterceptors } from '@temporalio/workflow';

/** Throws where events came and no task began; then the query fails and the worker forgets the workflow. */
export function interceptors(): WorkflowInterceptors {
  let events = 0;
  let bytes = '0';
  const activate = (input: ActivateInput, next: (input: ActivateInput) => void) => {
    const { historyLength, historySizeBytes, isReplaying } = input.activation;
    const eventsNow = historyLength ?? 0;
    // Every task that begins tells how large the history is by then. Servers before 1.20 and the time-skipping one say 0.
    const bytesNow = String(historySizeBytes ?? 0);
    const hasTask = bytesNow === '0' || bytesNow !== bytes;
    if (!isReplaying && eventsNow > events && !hasTask) {
      throw new Error('A query came between an event and its workflow task. Ask again.');
    }
    events = eventsNow;
    bytes = bytesNow;
    next(input);
  };
  return { internals: [{ activate }] };
}
