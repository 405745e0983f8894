// Assets that a run has not delivered: failed, cancelled, refused, or without a result.
import { assetFailures } from '../../failures/assets.ts';
import { failSource } from '../../failures/fail.ts';
import type { PlatformIds } from '../../plan/platform-ids.ts';
import type { Failure } from '../../plan/types.ts';
import type { ClaimedKeys } from '../claims/claims.ts';
import { mapBounded } from '../objects/map-bounded.ts';
import { encodeKey } from '../objects/object-name.ts';
import type { RunAsset } from '../runs/run-assets.ts';
import type { RunStore } from '../runs/run-store.ts';

/** `unfinished`: there is no result, because the shard failed or never started. */
export type UnfinishedOutcome = 'failed' | 'refused' | 'cancelled' | 'unfinished';

export interface UnfinishedAsset {
  /** The key of the asset, or the label of a refused source. */
  key: string;
  /** Null if the source never became an asset. */
  asset: RunAsset | null;
  outcome: UnfinishedOutcome;
  /** Null if the asset was cancelled or never started. */
  failure: Failure | null;
  platformIds: PlatformIds;
}

export interface UnfinishedOptions {
  /** True if the run is closed, so that an asset without a result will never have one. */
  isRunClosed: boolean;
  signal?: AbortSignal;
}

const maxConcurrentShards = 8;

/** Yields undelivered assets of the store's run: refused ones, then others in run order, a few shards at a time. */
export async function* listUnfinished(
  store: RunStore,
  { isRunClosed, signal }: UnfinishedOptions,
): AsyncGenerator<UnfinishedAsset> {
  const discovery = await store.runAssets.readDiscovery();
  if (!discovery) return;
  for await (const failures of store.runAssets.refused()) {
    for (const failure of failures) {
      yield { key: failure.key, asset: null, outcome: 'refused', failure, platformIds: {} };
    }
  }
  const parts = await store.results.parts(store.context.run);
  const claimedKeys = isRunClosed ? await store.claims.names(signal) : null;
  for (let first = 0; first < discovery.pages; first += maxConcurrentShards) {
    const last = Math.min(first + maxConcurrentShards, discovery.pages);
    const shards = Array.from({ length: last - first }, (_, index) => first + index);
    const read = (shard: number) =>
      listUnfinishedOfShard(store, shard, parts.get(shard) ?? [], claimedKeys);
    yield* (await mapBounded(shards, read, { signal })).flat();
  }
}

/** @param claimedKeys encoded keys with a claim. Null while the run may still write results */
async function listUnfinishedOfShard(
  store: RunStore,
  shard: number,
  parts: readonly string[],
  claimedKeys: ClaimedKeys | null,
): Promise<UnfinishedAsset[]> {
  const [page, finalized] = await Promise.all([
    store.runAssets.page(shard),
    store.results.readShard(store.context.run, parts),
  ]);
  const results = await mapBounded(page, async (asset): Promise<UnfinishedAsset | null> => {
    const { key } = asset;
    const { outcome, failure, platformIds } = finalized.get(key) ?? {};
    if (outcome === undefined)
      return claimedKeys && createAssetWithoutResult(store, asset, claimedKeys);
    if (outcome !== 'failed' && outcome !== 'cancelled') return null;
    return { key, asset, outcome, failure: failure ?? null, platformIds: platformIds ?? {} };
  });
  return results.filter((item) => item !== null);
}

/** Creates an asset without a result. A claim of the closed run means that its shard had started and broke. */
async function createAssetWithoutResult(
  store: RunStore,
  asset: RunAsset,
  claimedKeys: ClaimedKeys,
): Promise<UnfinishedAsset> {
  const { key } = asset;
  const claim = claimedKeys.has(encodeKey(key)) ? await store.claims.read(key) : null;
  const outcome = 'unfinished';
  if (claim?.run !== store.context.run) {
    return { key, asset, outcome, failure: null, platformIds: {} };
  }
  const message = 'its shard closed before the asset was finished, and its progress is unknown';
  const failure = { ...failSource(assetFailures.SHARD_FAILED, key, '', message), attempts: 1 };
  return { key, asset, outcome, failure, platformIds: claim.platformIds ?? {} };
}
