// Receives what people do to schedules, event triggers, deployments and orphaned resources. The history itself is the
// record, since the server stores time and identity with each signal. The workflow keeps no state. A closed execution
// can be read until the server deletes it.
import { condition, setCurrentDetails, setHandler, workflowInfo } from '@temporalio/workflow';
import { firstStartField } from '../src/plan/contract/audit-contract.ts';
import { continueUnlessCancelled } from './continue-unless-cancelled.ts';
import { action } from './messages.ts';

/** Per execution, whose history then has four thousand events. */
const maxActs = 1_000;

export async function auditLog(): Promise<never> {
  let actions = 0;
  // A continuation has no summary, so its page needs the details.
  setCurrentDetails(
    'Each signal in the history is an act of a person: `renderline audit` lists them.',
  );
  setHandler(action, () => {
    actions += 1;
  });
  await condition(() => actions >= maxActs || workflowInfo().continueAsNewSuggested);
  const { memo, startTime } = workflowInfo();
  // A general pause stands since its first execution started. Later executions keep the field.
  const first = { [firstStartField]: startTime.toISOString(), ...memo };
  return continueUnlessCancelled<typeof auditLog>([], { memo: first });
}
