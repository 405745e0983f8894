// Cancels the platform work of a cancelled shard, including resources that no result has reported. Saves the ids of
// these resources.
import { features } from '../../src/features/index.ts';
import type { CancelRemoteInput, CancelReport } from '../../src/plan/shard/step-contract.ts';
import { findUnreportedIds } from '../../src/store/calls/created-ids.ts';
import type { AssetUpdate } from '../../src/store/runs/shard-pages.ts';
import type { Deps } from '../deps.ts';
import { runEngineActivity } from '../run-engine-activity.ts';
import { readAssetStates, writeAssetUpdates } from './asset-states.ts';

/**
 * Cancels the platform work of cancelled assets of a shard. Safe to retry, because a retry finds the work of the first
 * attempt already cancelled.
 */
export async function cancelRemote(input: CancelRemoteInput, deps: Deps): Promise<CancelReport> {
  const requests = deps.requestsOf(input.context.run);
  return runEngineActivity(deps, async (signal, assertLease) => {
    const { run } = input.context;
    const store = deps.storeOf(input.context);
    const calls = await store.callsHandledByRun({ run, shard: input.shard });
    const allUpdates: AssetUpdate[] = [];
    const states = (await readAssetStates(input, deps, signal)).map((state) => {
      // The call may have succeeded while its step was cancelled before the step could report the created resource.
      const unreportedIds = findUnreportedIds(state, calls, store.idRules);
      if (Object.keys(unreportedIds).length > 0)
        allUpdates.push({ assetIndex: state.assetIndex, platformIds: unreportedIds });
      return { ...state, platformIds: { ...state.platformIds, ...unreportedIds } };
    });
    const { client, now } = deps;
    for (const feature of features) {
      const updates = await feature.cancel?.(states, { client, requests, now, assertLease });
      allUpdates.push(...(updates ?? []));
    }
    const pages = await writeAssetUpdates(input, { node: '' }, allUpdates, deps);
    return { pages, requests: requests.take().byOperation };
  });
}
