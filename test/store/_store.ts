// Stores of runs on memory or a folder, and assets for them.

import type { Connector } from '../../src/connectors/connector.ts';
import { openRunStore } from '../../src/features/run-store.ts';
import type { FinalizedAsset } from '../../src/plan/contract/contract.ts';
import type { PlatformIds } from '../../src/plan/platform-ids.ts';
import type { Asset } from '../../src/plan/types.ts';
import type { RunAsset } from '../../src/store/runs/run-assets.ts';
import { type RunStore, type StoreContext } from '../../src/store/runs/run-store.ts';
import { MemoryBucket, MemoryConnector } from '../connectors/_memory-connector.ts';

export const recipe = 'aaaaaaaa00000000';
export const startMs = Date.parse('2026-03-01T10:00:00Z');

function contextOf(run: string, more: Partial<StoreContext> = {}): StoreContext {
  return { run, lineage: run, pipeline: 'shoes', recipe, ...more };
}

/** Stores of several runs on one bucket. */
export function storesOver(bucket = new MemoryBucket()) {
  return (run: string, more: Partial<StoreContext> = {}): RunStore =>
    storeOn(new MemoryConnector(bucket), run, more);
}

export function storeOn(
  connector: Connector,
  run: string,
  more: Partial<StoreContext> = {},
): RunStore {
  return openRunStore(connector, contextOf(run, more), { now: () => startMs });
}

export function manifestAsset(key: string, more: Partial<RunAsset> = {}): RunAsset {
  return { key, source: sourceOf(key), reason: 'new', ...more };
}

export function sourceOf(key: string, version = '1-1') {
  return { path: `${key}.glb`, bytes: 1, mtimeMs: 1, version };
}

export function assetOf(key: string, platformIds: PlatformIds = {}): Asset {
  return { key, source: sourceOf(key), platformIds };
}

export function settledAs(
  outcome: FinalizedAsset['outcome'],
  asset: Asset,
  more: Partial<FinalizedAsset> = {},
): FinalizedAsset {
  return { ...asset, outcome, files: [], warnings: [], failure: null, ...more };
}

/** Writes a manifest with one shard for the store's run. */
export async function withManifest(
  store: RunStore,
  assets: RunAsset[],
  more: { shardSize?: number; category?: string } = {},
): Promise<RunStore> {
  const counts = {
    total: assets.length,
    new: assets.length,
    changed: 0,
    unchanged: 0,
  };
  await store.runAssets.write({ assets, shardSize: 250, counts, refused: [], ...more });
  return store;
}

export const alive = { isAlive: async () => true };
export const dead = { isAlive: async () => false };
