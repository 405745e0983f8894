// Checks whether the platform still has what earlier runs paid for, and whether resources that those runs did not find
// exist now.

import { isInConsistencyWindow } from '../../src/engine/consistency-window.ts';
import { readWithRetry } from '../../src/engine/discovery/read-with-retry.ts';
import { isAnyFileMissing } from '../../src/features/delivery/existing-files.ts';
import { readPreviousRecords } from '../../src/features/delivery/replaced-pictures.ts';
import { createConnectorResolver } from '../../src/features/discovery-source.ts';
import {
  isVisibleAgain,
  listExistenceChecks,
  type ReadContext,
  readExistingIds,
} from '../../src/features/existing-platform-ids.ts';
import { features } from '../../src/features/index.ts';
import type { PlatformIds } from '../../src/plan/platform-ids.ts';
import type { RunContext } from '../../src/plan/run/run-context.ts';
import type { Asset } from '../../src/plan/types.ts';
import { mapBounded } from '../../src/store/objects/map-bounded.ts';
import { removeIds } from '../../src/store/runs/asset-states.ts';
import type { Deps } from '../deps.ts';

const maxConcurrent = 8;

/**
 * Drops all ids of assets whose earlier work is missing on the platform, because the work was deleted or belongs to
 * another workspace. The assets start again from their files. Assets that the root took from the platform and assets
 * with reusable stages are not checked.
 */
export async function dropLostWork<A extends Asset>(
  assets: A[],
  deps: Deps,
  run: string,
): Promise<A[]> {
  // Assets with reusable stages keep their ids, because `dropDeletedWork` checks those with missing delivered files.
  const candidates = assets.filter(
    ({ source, platformIds }) => source.id === undefined && !platformIds.reusableStages,
  );
  const { pollerContext, now } = deps;
  const context = { pollerContext, requests: deps.requestsOf(run), now };
  const lostAssets = new Set<A>();
  for (const feature of features) {
    for (const asset of (await feature.findLost?.(candidates, context)) ?? [])
      lostAssets.add(asset);
  }
  return assets.map((asset) => (lostAssets.has(asset) ? { ...asset, platformIds: {} } : asset));
}

function createReadContext(deps: Deps, context: RunContext, signal?: AbortSignal): ReadContext {
  const { client } = deps.platformOf(context);
  const requestCounter = deps.requestsOf(context.run);
  return { client, options: { priority: 'status', requestCounter, signal } };
}

/** Drops ids of resources that an earlier run could not find, unless they exist now. One request per such asset. */
export function recheckMissingWork<A extends Asset>(
  assets: readonly A[],
  deps: Deps,
  context: RunContext,
  signal?: AbortSignal,
): Promise<A[]> {
  const reader = createReadContext(deps, context, signal);
  const recheckAsset = async (asset: A): Promise<A> => {
    const { missingIds, ...platformIds } = asset.platformIds;
    if (missingIds === undefined) return asset;
    const read = () => isVisibleAgain(reader, platformIds, missingIds);
    const isVisible = await readWithRetry(read, signal);
    return { ...asset, platformIds: isVisible ? platformIds : removeIds(platformIds, missingIds) };
  };
  return mapBounded(assets, recheckAsset, { maxConcurrent, signal });
}

/** A run that is not a rerun checks the earlier work of about this many assets of a shard. */
const sampleSize = 5;

/**
 * Drops the ids of resources that the platform no longer has, back to the last stage that still exists. A rerun checks
 * every asset with one or two requests. Other runs check a sample, and check all assets if the sample has lost
 * something, because a platform that was restored from a backup usually lacks many resources. An asset that reuses
 * stages is checked only if a delivered file is missing, and only in a rerun or a run that may render again. Assets
 * that the root took from the platform are not checked. Work in the consistency window is not checked either.
 */
export async function dropDeletedWork<A extends Asset>(
  assets: readonly A[],
  deps: Deps,
  location: { context: RunContext; shard: number },
  signal?: AbortSignal,
): Promise<A[]> {
  const { context } = location;
  const reader = createReadContext(deps, context, signal);
  const isRerun = context.epoch > 0;
  const incompleteAssets =
    isRerun || context.mayRerender
      ? await findIncompleteAssets(assets, deps, location)
      : new Set<A>();
  const builtAssets = assets.filter(
    (asset) =>
      listExistenceChecks(asset).length > 0 &&
      !isInConsistencyWindow(asset.platformIds, { client: reader.client, now: deps.now }) &&
      (!asset.platformIds.reusableStages || incompleteAssets.has(asset)),
  );
  const recheckedAssets = new Map<A, A>();
  const check = (assetsToCheck: readonly A[]) =>
    mapBounded(
      assetsToCheck.filter((asset) => !recheckedAssets.has(asset)),
      async (asset) => {
        const platformIds = await readWithRetry(() => readExistingIds(asset, reader), signal);
        recheckedAssets.set(asset, { ...asset, platformIds });
      },
      { maxConcurrent, signal },
    );
  const sampleEvery = Math.ceil(builtAssets.length / sampleSize);
  await check(
    builtAssets.filter(
      (asset, index) => isRerun || incompleteAssets.has(asset) || index % sampleEvery === 0,
    ),
  );
  const isAnyDeleted = [...recheckedAssets].some(
    ([before, { platformIds }]) => sizeOf(platformIds) < sizeOf(before.platformIds),
  );
  if (isAnyDeleted) await check(builtAssets);
  return assets.map((asset) => recheckedAssets.get(asset) ?? asset);
}

/** Finds the assets that reuse stages of earlier work and lack a delivered file. */
async function findIncompleteAssets<A extends Asset>(
  assets: readonly A[],
  deps: Deps,
  { context, shard }: { context: RunContext; shard: number },
): Promise<Set<A>> {
  const reusable = assets.filter(({ platformIds }) => platformIds.reusableStages);
  if (reusable.length === 0) return new Set();
  const store = deps.storeOf(context);
  const knownRecipes = await store.recipes.readKnown();
  const getConnector = createConnectorResolver(context, deps.connectorOf);
  const { connectors, recipe } = context;
  const pipeline = { connectors, stages: knownRecipes.get(recipe), getConnector };
  const affectedAssets = await mapBounded(
    reusable,
    async (asset) => {
      const previousRecords = await readPreviousRecords({ store, shard }, asset.key);
      const record = previousRecords.moved ?? previousRecords.record;
      return record === null || (await isAnyFileMissing(record, knownRecipes, pipeline))
        ? [asset]
        : [];
    },
    { maxConcurrent },
  );
  return new Set(affectedAssets.flat());
}

function sizeOf(platformIds: PlatformIds): number {
  return Object.keys(platformIds).length;
}
