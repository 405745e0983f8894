// Takes what people do to schedules, intakes, deployments and leftovers. Its history is the record: the server writes time and
// identity beside each signal. It keeps nothing itself, and an execution that has ended can be read until the server forgets it.
import { condition, setHandler, workflowInfo } from '@temporalio/workflow';
import { continueUnlessCancelled } from './continue-unless-cancelled.ts';
import { act } from './messages.ts';

/** Of one execution, whose history then has four thousand events. */
const actsAtMost = 1_000;

export async function auditLog(): Promise<never> {
  let acts = 0;
  setHandler(act, () => {
    acts += 1;
  });
  await condition(() => acts >= actsAtMost || workflowInfo().continueAsNewSuggested);
  return continueUnlessCancelled<typeof auditLog>([]);
}
