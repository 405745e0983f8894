// Withdraws products whose source, row or cell is gone. This runs last, so that new products are delivered by then.
import { condition, isCancellation } from '@temporalio/workflow';
import type { Discovery, RunInput } from '../../src/plan/contract/contract.ts';
import type { WithdrawResult } from '../../src/plan/contract/withdraw-contract.ts';
import { omitUndefined } from '../../src/plan/helpers/omit-undefined.ts';
import type { RunContext } from '../../src/plan/run/run-context.ts';
import { proxyEngineActivity } from '../activity-options.ts';
import { asCancellation, assetFailureOf } from '../failures.ts';
import type { RunHold } from './run-hold.ts';
import type { RunTotals } from './run-totals.ts';

/** Long timeouts, because one attempt withdraws all products. A retry continues where the previous attempt ended. */
const withdrawalTimeouts = {
  startToCloseTimeout: '24h',
  scheduleToCloseTimeout: '7 days',
} as const;

/** Withdraws the products once the run is not held. A failure does not fail the run. The next run continues. */
export async function withdraw(
  input: RunInput,
  context: RunContext,
  { withdraws = 0 }: Pick<Discovery, 'withdraws'>,
  { carried }: RunTotals,
  gate: Pick<RunHold, 'isHeld'>,
): Promise<void> {
  if (withdraws === 0) return;
  await condition(() => !gate.isHeld);
  carried.withdrawn = await requestWithdrawal(input, context);
}

async function requestWithdrawal(
  { plan, takeOverMs }: RunInput,
  context: RunContext,
): Promise<WithdrawResult> {
  const { discovery, withdrawn: rules = { exports: {} } } = plan;
  try {
    const activity = proxyEngineActivity('withdraw', context, withdrawalTimeouts);
    return await activity({ context, discovery, rules, ...omitUndefined({ takeOverMs }) });
  } catch (thrown) {
    const error = asCancellation(thrown);
    if (isCancellation(error)) throw error;
    const message = `not all removed products could be withdrawn; the next run continues: ${assetFailureOf(error).message}`;
    return { assets: 0, archived: 0, deleted: 0, warnings: [{ key: discovery.node, message }] };
  }
}
