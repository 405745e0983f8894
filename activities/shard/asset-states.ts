// Reads the states of the assets of an activity from the records store, and writes the activity's updates.
import { Context } from '@temporalio/activity';
import type { CompactInput, ShardAddress } from '../../src/plan/shard/step-contract.ts';
import { type AssetState, buildAssetStates } from '../../src/store/runs/asset-states.ts';
import type { AssetUpdate } from '../../src/store/runs/shard-pages.ts';
import type { Deps } from '../deps.ts';

export async function readAssetStates(
  { context, shard, assets, pages }: ShardAddress & Pick<CompactInput, 'assets' | 'pages'>,
  deps: Deps,
  signal?: AbortSignal,
): Promise<AssetState[]> {
  const store = deps.storeOf(context);
  const [page, updatePages] = await Promise.all([
    store.runAssets.page(shard),
    store.pages(shard).read(pages, signal),
  ]);
  return buildAssetStates(page, updatePages, assets, store.idRules);
}

/**
 * Writes asset updates to the records store.
 * @returns the names of the written pages
 * @param node the node of the pipeline file that caused the updates. Empty if there is none
 * @param part distinguishes several lists of updates of one attempt
 */
export async function writeAssetUpdates(
  { context, shard }: ShardAddress,
  { node, part = '' }: { node: string; part?: string },
  updates: readonly AssetUpdate[],
  deps: Deps,
): Promise<string[]> {
  const store = deps.storeOf(context);
  // Otherwise the page would be written to a new folder, and would be lost when the old one is back in place.
  if (updates.length > 0) await store.runAssets.assertStored();
  return store.pages(shard).write(`${createPageName()}${part}`, node, updates);
}

/**
 * Returns a name for pages with asset updates. It is unique among all attempts of all activities, also after the
 * workflow was reset.
 */
function createPageName(): string {
  const { workflowExecution, activityId, attempt } = Context.current().info;
  return `${workflowExecution?.runId.slice(-12) ?? ''}-${activityId}-${attempt}`;
}
