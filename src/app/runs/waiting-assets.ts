import { groupBy } from '../../plan/helpers/group-by.ts';
import type { ConnectorSpec } from '../../plan/types.ts';
import type { ReviewedAsset } from '../../store/runs/pictures/approvals.ts';
import type { RunStore } from '../../store/runs/run-store.ts';

export interface WaitingAsset extends ReviewedAsset {
  shard: number;
  node: string;
  /** Where the asset's pictures are. */
  review: ConnectorSpec;
}

/** Identifies a waiting asset, for example in a form. */
export function nameOfWaiting({ node, key }: Pick<WaitingAsset, 'node' | 'key'>): string {
  return JSON.stringify([node, key]);
}

/** @param hasEnded returns true for an asset that has ended, on which a decision would have no effect */
export async function readWaitingAssets(
  { approvals }: Pick<RunStore, 'approvals'>,
  hasEnded: (key: string) => boolean,
): Promise<WaitingAsset[]> {
  const assetsByName = new Map<string, WaitingAsset>();
  for (const [node, pages] of groupBy(await approvals.shown(), (page) => page.node)) {
    const decisions = await approvals.decisions(node);
    for (const { shard, review, assets } of pages) {
      for (const asset of assets) {
        if (decisions.has(asset.key) || hasEnded(asset.key)) continue;
        const waiting = { ...asset, shard, node, review };
        assetsByName.set(nameOfWaiting(waiting), waiting);
      }
    }
  }
  return [...assetsByName.values()];
}

/** Lists the assets of a run that somebody can still decide about. */
export async function readUndecided(store: RunStore, run: string): Promise<WaitingAsset[]> {
  const endedKeys = new Set<string>();
  for await (const { key } of store.results.read(run)) endedKeys.add(key);
  return readWaitingAssets(store, (key) => endedKeys.has(key));
}

/** False if all listed assets are decided. True if no asset is listed yet or the records cannot be read. */
export async function mayAwaitDecisions(store: RunStore, run: string): Promise<boolean> {
  try {
    if ((await store.approvals.shown()).length === 0) return true;
    return (await readUndecided(store, run)).length > 0;
  } catch {
    return true;
  }
}
