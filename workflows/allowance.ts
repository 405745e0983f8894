// Divides the rate limit of one API key among all workers that use the key. The workflow only answers updates of
// workers, so it adds no history while they send none.
import {
  allHandlersFinished,
  condition,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { AllowanceInput } from '../src/plan/allowance/allowance-contract.ts';
import { AllowanceState } from '../src/plan/allowance/allowance-state.ts';
import { continueUnlessCancelled } from './continue-unless-cancelled.ts';
import { clockSkews, lease, leave } from './messages.ts';

/** Updates before the workflow continues as new. The server accepts 2,000 per execution. */
const maxUpdates = 500;

export async function allowance({ carried }: AllowanceInput): Promise<never> {
  const state = new AllowanceState(Date.now(), carried);
  let updates = 0;
  const publish = () => {
    updates += 1;
    setCurrentDetails(formatAllowance(state, Date.now()));
  };
  setHandler(lease, (request) => {
    const response = state.lease(request, Date.now());
    publish();
    return response;
  });
  setHandler(leave, (request) => {
    state.leave(request, Date.now());
    publish();
  });
  setHandler(clockSkews, () => state.clockSkews(Date.now()));
  await condition(() => updates >= maxUpdates || workflowInfo().continueAsNewSuggested);
  await condition(allHandlersFinished);
  return continueUnlessCancelled<typeof allowance>([{ carried: state.carried() }]);
}

/** Formats the details of the workflow for the Temporal UI. */
function formatAllowance(state: AllowanceState, nowMs: number): string {
  const limit = state.limit(nowMs);
  const permits = state.availablePermits(nowMs);
  return [
    limit === null || permits === null
      ? 'Requests per minute: **unknown** until the platform reports its limit, or `rateLimit` is set in `renderline.yaml`.'
      : `Requests per minute: **${limit}**${limit > permits ? `, of which other clients use about ${limit - permits}` : ''}.`,
    '',
    '| worker | allotment | in use | wanted | |',
    '|---|---:|---:|---:|---|',
    ...state
      .members(nowMs)
      .map(
        ({ worker, allotment, heldPermits, wantedPermits, alive, availablePermits }) =>
          `| ${worker} | ${allotment ?? 'any'} | ${heldPermits} | ${wantedPermits} | ${alive ? '' : `left, ${availablePermits} in use`} |`,
      ),
    '',
    `As of ${new Date(nowMs).toISOString()} (updated when a worker asks).`,
  ].join('\n');
}
