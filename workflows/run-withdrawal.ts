// Has the products withdrawn whose sources are gone. It comes last: what is new is delivered by then.
import { condition, isCancellation } from '@temporalio/workflow';
import type { Discovery, RunInput } from '../src/plan/contract.ts';
import type { RunContext } from '../src/plan/run-context.ts';
import type { WithdrawReport } from '../src/plan/withdraw-contract.ts';
import { booksOf } from './activity-options.ts';
import { assetFailureOf, orCancelled } from './failures.ts';

/** Without a short limit: what was withdrawn is not looked at again. */
const patient = { startToCloseTimeout: '24h', scheduleToCloseTimeout: '7 days' } as const;

/** null where there is nothing to withdraw. It fails no run: the next one goes on with what is left. */
export async function withdrawGone(
  { plan }: RunInput,
  context: RunContext,
  { withdraws = 0 }: Discovery,
  isPaused: () => boolean,
): Promise<WithdrawReport | null> {
  const { withdrawn: rules, discovery } = plan;
  if (rules === undefined || withdraws === 0) return null;
  await condition(() => !isPaused());
  try {
    return await booksOf(context, patient).withdraw({ context, discovery, rules });
  } catch (thrown) {
    const error = orCancelled(thrown);
    if (isCancellation(error)) throw error;
    const message = `not all that is gone could be withdrawn, the next run goes on: ${assetFailureOf(error).message}`;
    return { assets: 0, archived: 0, deleted: 0, warnings: [{ key: discovery.node, message }] };
  }
}
