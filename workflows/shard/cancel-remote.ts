// Cancels the open work of a cancelled shard's assets on the platform.
import type { ShardState } from '../../src/plan/shard/shard-state.ts';
import type { ShardAddress, ShardAssetOutcome } from '../../src/plan/shard/step-contract.ts';
import { addRequests } from '../../src/plan/shard/totals.ts';
import { proxyEngineActivity } from '../activity-options.ts';
import { assetFailureOf, findRunCause } from '../failures.ts';

/**
 * Cancels the platform work of the cancelled assets, and adds the pages with the resulting asset updates to `state`. A
 * render that was too late to cancel gets a warning in these updates. Does not throw, because a platform that refuses
 * must not keep the run open.
 * @returns why the cancellation failed (jobs may then still run), or undefined if it succeeded
 */
export async function cancelRemote(
  { context, shard }: ShardAddress,
  state: ShardState,
  outcomes: readonly ShardAssetOutcome[],
  requests: Record<string, number>,
): Promise<string | undefined> {
  const assets = outcomes.flatMap(({ assetIndex, outcome }) =>
    outcome === 'cancelled' ? assetIndex : [],
  );
  if (assets.length === 0) return undefined;
  try {
    const cancelRemoteJobs = proxyEngineActivity('cancelRemoteJobs', context);
    const report = await cancelRemoteJobs({ context, shard, assets, pages: state.pagesOf(assets) });
    state.addPages(assets, report.pages);
    addRequests(requests, report.requests);
    return undefined;
  } catch (error) {
    return findRunCause(error)?.message ?? assetFailureOf(error).message;
  }
}
