// Prevents a query from advancing a workflow. For a query the server sends the whole history, even if its last events
// have no started workflow task yet. A worker without the workflow in memory would process these events at the time of
// the previous task. A replay would process them at the time of their own task, and fail as nondeterministic
// (docs/decisions/045-queries.md).
import type { ActivateInput, WorkflowInterceptors } from '@temporalio/workflow';

/** Throws if some events have no started task. The query then fails, and the worker drops the workflow from memory. */
export function interceptors(): WorkflowInterceptors {
  let events = 0;
  let bytes = '0';
  const activate = (input: ActivateInput, next: (input: ActivateInput) => void) => {
    const { historyLength, historySizeBytes, isReplaying } = input.activation;
    const eventsNow = historyLength ?? 0;
    // Every started task reports the size of the history. Servers before 1.20 and the time-skipping server report 0.
    const bytesNow = String(historySizeBytes ?? 0);
    const hasTask = bytesNow === '0' || bytesNow !== bytes;
    if (!isReplaying && eventsNow > events && !hasTask) {
      throw new Error('A query came between an event and its workflow task. Retry the query.');
    }
    events = eventsNow;
    bytes = bytesNow;
    next(input);
  };
  return { internals: [{ activate }] };
}
