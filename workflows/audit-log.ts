// Receives a signal for each action of a person on schedules, event triggers, deployments and orphaned resources. The
// history itself is the record, since the server stores time and identity with each signal. The workflow keeps no
// state. A closed execution can be read until the server deletes it.
import { condition, setCurrentDetails, setHandler, workflowInfo } from '@temporalio/workflow';
import { firstStartField } from '../src/plan/contract/audit-contract.ts';
import { continueUnlessCancelled } from './continue-unless-cancelled.ts';
import { action } from './messages.ts';

/** Maximum number of actions per execution, whose history then has about 4,000 events. */
const maxActions = 1_000;

export async function auditLog(): Promise<never> {
  let actions = 0;
  // A continuation has no static summary, so the Temporal UI shows the details that are set here.
  setCurrentDetails(
    "Each signal in the history is a person's action: `renderline audit` lists them.",
  );
  setHandler(action, () => {
    actions += 1;
  });
  await condition(() => actions >= maxActions || workflowInfo().continueAsNewSuggested);
  const { memo, startTime } = workflowInfo();
  // A general pause has this type too, and has been in force since its first start, which continuations keep in memos.
  const first = { [firstStartField]: startTime.toISOString(), ...memo };
  return continueUnlessCancelled<typeof auditLog>([], { memo: first });
}
