// Stores how assets ended: record, claim, results page. In this order, a retry repairs whatever a crash leaves.
import type { FinalizedAsset } from '../../plan/contract/contract.ts';
import { stageTimesOf } from '../../plan/freshness.ts';
import { omitUndefined } from '../../plan/helpers/omit-undefined.ts';
import type { PlatformIds } from '../../plan/platform-ids.ts';
import { deliveredFilesOf } from '../../plan/run/export-tally.ts';
import type { AssetSource } from '../../plan/types.ts';
import { findUnreportedIds } from '../calls/created-ids.ts';
import { type Intent, isInheritableIntent, isIntentHandledBy } from '../calls/intents.ts';
import { findDuplicateWarnings } from '../calls/possible-duplicates.ts';
import type { AssertLease } from '../claims/assert-lease.ts';
import { endMove, releaseMove } from '../claims/moves.ts';
import { mapBounded } from '../objects/map-bounded.ts';
import { recordName } from '../objects/object-name.ts';
import { assetRecipeOf } from '../records/asset-recipe.ts';
import { callKeysOf, modelKeyOf } from '../records/cell-keys.ts';
import { computeEarlierWork, type EarlierWork } from '../records/earlier-work.ts';
import type { IdRules } from '../records/id-rules.ts';
import type { AssetRecord } from '../records/records.ts';
import { canReuseWork } from '../records/source-version.ts';
import {
  type DeleteResources,
  deleteOldVersions,
  findOldVersions,
  forgetOldVersions,
  keepOldVersions,
  maxConcurrentDeletions,
  type OldVersions,
  withDeletions,
} from './old-versions.ts';
import type { RunAsset } from './run-assets.ts';
import type { RunStore } from './run-store.ts';

/** An asset with its files, and the previous key of its source. */
export type CompletedAsset = Pick<FinalizedAsset, 'key' | 'source' | 'files'> &
  Pick<RunAsset, 'moved'>;

export interface FinalizeOptions {
  /** Set only if `deleteResources` is absent, because an aborted deletion would not report what remains. */
  signal?: AbortSignal;
  /** Deletes the resources of older versions of changed files. If absent, they are kept. */
  deleteResources?: DeleteResources;
  /** Called once the record of a complete asset is written. Returns warnings. */
  removeOldFiles?: (asset: CompletedAsset) => Promise<string[]>;
  assertLease?: AssertLease;
}

/** Finalizes a part of a shard. Safe to repeat. */
export async function finalizePart(
  store: RunStore,
  { shard, part, finalized }: { shard: number; part: number; finalized: FinalizedAsset[] },
  {
    signal,
    deleteResources,
    removeOldFiles = async () => [],
    assertLease = () => Promise.resolve(),
  }: FinalizeOptions = {},
): Promise<void> {
  const page = await store.runAssets.page(shard);
  const assetsByKey = new Map(page.map((asset) => [asset.key, asset]));
  const isUnfinished = finalized.some(({ outcome }) => outcome !== 'complete');
  const calls = isUnfinished ? await store.callsOf(shard) : [];
  const called = new Set(calls.filter(isInheritableIntent).flatMap(({ assets }) => assets));
  const { run } = store.context;
  const ownCalls = calls.filter((call) => isIntentHandledBy(call, run));
  const withCalls = finalized.map((asset) =>
    asset.outcome === 'complete' ? asset : addUnreported(asset, calls, ownCalls, store.idRules),
  );
  const check = (asset: FinalizedAsset) =>
    removeReplacedFiles(store, asset, assetsByKey.get(asset.key));
  const checkedAssets = await mapBounded(withCalls, check, { signal });
  const context = { store, shard, called, keepsOld: deleteResources === undefined };
  const finalize = async (asset: FinalizedAsset) => {
    await assertLease();
    return finalizeAsset(context, asset, assetsByKey.get(asset.key));
  };
  const oldVersions = await mapBounded(checkedAssets, finalize, { signal });
  await assertLease();
  const afterRemovals = await mapBounded(checkedAssets, async (asset) => {
    if (asset.outcome !== 'complete') return asset;
    const { moved } = assetsByKey.get(asset.key) ?? {};
    const removalWarnings = await removeOldFiles({ ...asset, ...omitUndefined({ moved }) });
    // The move ends only here, so that the next run finishes the move if this run dies earlier.
    if (moved) await endMove(store, moved);
    return { ...asset, warnings: [...asset.warnings, ...removalWarnings] };
  });
  if (deleteResources === undefined) return store.results.write(run, shard, part, afterRemovals);
  const deleteOld = async (asset: FinalizedAsset, index: number) => {
    const old = oldVersions[index];
    if (!old) return { asset };
    const remaining = await deleteOldVersions(store, old, deleteResources);
    return { asset: withDeletions({ ...old, asset }, remaining), old, remaining };
  };
  const maxConcurrent = maxConcurrentDeletions;
  const deleted = await mapBounded(afterRemovals, deleteOld, { maxConcurrent });
  const results = deleted.map(({ asset }) => asset);
  await assertLease();
  await store.results.write(run, shard, part, results);
  for (const { old, remaining } of deleted) {
    if (!old || !remaining) continue;
    // Resources that cannot be deleted are already in the report.
    if (remaining.isRetriedNextRun) await keepOldVersions(store, old, shard);
    else await forgetOldVersions(store, old);
  }
}

/** Leaves out a moved asset's old paths if its old record is gone, since the old key has a source and files again. */
async function removeReplacedFiles(
  { records, context }: RunStore,
  asset: FinalizedAsset,
  runAsset: RunAsset | undefined,
): Promise<FinalizedAsset> {
  const { moved } = runAsset ?? {};
  if (!moved || asset.outcome !== 'complete' || (await records.exists(moved.record))) return asset;
  const { key, source } = asset;
  // An earlier attempt may have deleted the old record.
  const recipe = assetRecipeOf(context.recipe, source);
  const ownRecord = await records.read(recordName(key, source.version, recipe));
  if (ownRecord?.run === context.run) return asset;
  const files = asset.files.map(
    ({ previousPath: _was, previousContent: _old, obsoletePaths: _obsolete, ...file }) => file,
  );
  return { ...asset, files };
}

/** Adds warnings about calls, and ids from calls whose step failed or was cancelled before it could report them. */
function addUnreported(
  asset: FinalizedAsset,
  calls: readonly Intent[],
  ownCalls: readonly Intent[],
  idRules: IdRules,
): FinalizedAsset {
  return {
    ...asset,
    warnings: [...asset.warnings, ...findDuplicateWarnings(asset, calls)],
    platformIds: { ...asset.platformIds, ...findUnreportedIds(asset, ownCalls, idRules) },
  };
}

interface FinalizeContext {
  store: RunStore;
  shard: number;
  /** Keys of assets with calls that the next run must know. */
  called: ReadonlySet<string>;
  keepsOld: boolean;
}

/** Returns the older versions to delete, or null. The asset stays claimed until they are deleted. */
async function finalizeAsset(
  { store, shard, called, keepsOld }: FinalizeContext,
  asset: FinalizedAsset,
  runAsset: RunAsset | undefined,
): Promise<OldVersions | null> {
  const { key, source, platformIds } = asset;
  const { moved } = runAsset ?? {};
  const recipe = assetRecipeOf(store.context.recipe, source);
  const request = { key, sourceId: source.id, version: source.version, recipe, shard, moved };
  const deliveredFiles = deliveredFilesOf(asset);
  const remainingIds: PlatformIds =
    deliveredFiles.length > 0 ? { ...platformIds, delivered: deliveredFiles } : platformIds;
  if (moved && asset.outcome !== 'complete') await releaseMove(store.claims, moved);
  switch (asset.outcome) {
    case 'complete': {
      const { run, lineage } = store.context;
      const old = keepsOld || !runAsset ? null : await findOldVersions(store, asset, runAsset);
      const model = modelKeyOf(asset);
      const finishedAt = new Date(store.now()).toISOString();
      const current = { key, source, recipe };
      const replaced = runAsset ? await readReplacedRecords(store, current, runAsset) : [];
      const sentHash = store.sourceHashes.get(model, source.version);
      const readHash = runAsset?.sourceSha256 ?? platformIds.sourceSha256;
      const sourceSha256 = sentHash ?? readHash ?? knownHashOf(replaced, source);
      const earlierWork = runAsset ? findEarlierWork(store, current, runAsset, replaced) : [];
      const hasNewWork = platformIds.lastCreatedAtMs !== runAsset?.platformIds?.lastCreatedAtMs;
      const stageTimes =
        runAsset?.made && !hasNewWork
          ? runAsset.made
          : stageTimesOf(runAsset?.reusableStages ?? [], replaced.at(-1) ?? null);
      await store.records.write(
        {
          key,
          source,
          ...omitUndefined({ sourceSha256 }),
          recipe,
          platformIds: recordIdsOf(platformIds),
          files: asset.files,
          ...(old ? { superseded: old.resources } : {}),
          ...(earlierWork.length > 0 ? { earlier: earlierWork } : {}),
          ...omitUndefined({ moved }),
          ...(Object.keys(stageTimes).length > 0 ? { made: stageTimes } : {}),
          run,
          lineage,
          finishedAt,
        },
        old ? [] : runAsset?.previous,
      );
      // Other cells of the model still need the hash of the file.
      if (model === key) store.sourceHashes.forget(key, source.version);
      if (old) return old;
      await store.claims.release(key);
      return null;
    }
    case 'failed': {
      // The next run counts retries from zero.
      const { retries: _retries, ...failedIds } = remainingIds;
      const failedRequest = { ...request, platformIds: failedIds };
      await store.claims.markFree(failedRequest, 'failed', asset.failure);
      return null;
    }
    case 'cancelled':
    case 'skipped': {
      const isStillRunning = asset.outcome === 'skipped' || asset.renderContinues;
      const keptIds = isStillRunning ? remainingIds : store.idRules.afterCancel(remainingIds);
      // The next run must find everything that was created, or may have been created, for the asset.
      const isKnown =
        store.idRules.isUploaded(keptIds) || callKeysOf(asset).some((name) => called.has(name));
      if (isKnown)
        await store.claims.markFree({ ...request, platformIds: keptIds }, asset.outcome, null);
      else await store.claims.release(key);
      return null;
    }
  }
}

/**
 * Reads the records that the new record replaces, newest last, but only if it keeps something of them, because the
 * recipe changed, a part expired, or the asset was forced.
 */
async function readReplacedRecords(
  { records, context }: RunStore,
  current: Pick<AssetRecord, 'key' | 'source' | 'recipe'>,
  { reason, moved, previous = [] }: RunAsset,
): Promise<AssetRecord[]> {
  if (reason !== 'recipe' && reason !== 'age' && reason !== 'force') return [];
  const names = [...previous.toReversed(), ...(moved ? [moved.record] : [])];
  const readings = names.map(async (name) => {
    const record = await records.read(name);
    // A moved source has the same content, even if its new path has another version.
    return record && name === moved?.record ? { ...record, source: current.source } : record;
  });
  const replacedRecords = (await Promise.all(readings)).flatMap((record) => record ?? []);
  if (replacedRecords.length > 0) return replacedRecords;
  // An earlier attempt may have written the record and removed the earlier records.
  const { key, source, recipe } = current;
  const ownRecord = await records.read(recordName(key, source.version, recipe));
  return ownRecord?.run === context.run ? [ownRecord] : [];
}

function knownHashOf(
  replacedRecords: readonly AssetRecord[],
  { version }: AssetSource,
): string | undefined {
  const isSame = (record: AssetRecord) => canReuseWork(record.source.version, version);
  return replacedRecords.findLast(isSame)?.sourceSha256;
}

function findEarlierWork(
  { context, idRules }: RunStore,
  current: Pick<AssetRecord, 'source' | 'recipe'>,
  { reason, earlier = [] }: RunAsset,
  replacedRecords: readonly AssetRecord[],
): EarlierWork[] {
  if (reason !== 'recipe') return earlier;
  const [record] = replacedRecords;
  if (record?.run === context.run) return record.earlier ?? [];
  return computeEarlierWork(current, replacedRecords, idRules);
}

/** Leaves out ids that a record stores in other fields or not at all. */
function recordIdsOf({
  reusableStages: _stands,
  delivered: _delivered,
  sourceSha256: _sha256,
  ...platformIds
}: PlatformIds): PlatformIds {
  return platformIds;
}
