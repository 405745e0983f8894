// Receives what people do to schedules, event triggers, deployments and orphaned resources. The history itself is the
// record, since the server stores time and identity with each signal. The workflow keeps no state. A closed execution
// can be read until the server deletes it.
import { condition, setHandler, workflowInfo } from '@temporalio/workflow';
import { continueUnlessCancelled } from './continue-unless-cancelled.ts';
import { act } from './messages.ts';

/** Per execution, whose history then has four thousand events. */
const actsAtMost = 1_000;

export async function auditLog(): Promise<never> {
  let acts = 0;
  setHandler(act, () => {
    acts += 1;
  });
  await condition(() => acts >= actsAtMost || workflowInfo().continueAsNewSuggested);
  return continueUnlessCancelled<typeof auditLog>([]);
}
