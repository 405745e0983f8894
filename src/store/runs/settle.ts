// Stores how assets ended: first the record, then the claim, then the results page. In this order a retry repairs whatever
// a crash leaves.
import type { SettledAsset } from '../../plan/contract.ts';
import { madeAtOf } from '../../plan/freshness.ts';
import type { Refs } from '../../plan/refs.ts';
import type { AssetSource } from '../../plan/types.ts';
import { withoutUndefined } from '../../plan/without-undefined.ts';
import { untoldFor } from '../calls/answered.ts';
import { type Intent, isBuiltOn, isEndedBy } from '../calls/intents.ts';
import { untoldDoubts } from '../calls/untold-doubts.ts';
import type { Hold } from '../claims/hold.ts';
import { endMove, releaseMove } from '../claims/moves.ts';
import { mapBounded } from '../objects/bounded.ts';
import { recordName } from '../objects/object-name.ts';
import { modelKeyOf, namesOf } from '../records/asset-names.ts';
import { recipeOf } from '../records/asset-recipe.ts';
import { type EarlierWork, earlierOf } from '../records/earlier-work.ts';
import {
  deleteOldVersions,
  deletionsAtOnce,
  forgetOldVersions,
  keepOldVersions,
  type OldVersions,
  oldVersionsOf,
  type Remove,
  withDeleted,
} from '../records/old-versions.ts';
import type { AssetRecord } from '../records/records.ts';
import type { RefBook } from '../records/ref-book.ts';
import { isBuiltOf } from '../records/source-version.ts';
import type { ManifestAsset } from './manifest.ts';
import type { RunStore } from './run-store.ts';

/** An asset with its files, and the previous key of its source. */
export type Delivered = Pick<SettledAsset, 'key' | 'source' | 'files'> &
  Pick<ManifestAsset, 'moved'>;

export interface SettleOptions {
  /** Used only if nothing is deleted, since an aborted deletion would not tell what remains. */
  signal?: AbortSignal;
  /** Deletes the resources of older versions of changed files; absent: they are kept. */
  remove?: Remove;
  /** Called once the record of a complete asset is written; returns warnings. */
  tidy?: (asset: Delivered) => Promise<string[]>;
  hold?: Hold;
}

/** Finalizes a part of a shard. Safe to repeat. */
export async function settleAssets(
  store: RunStore,
  { shard, part, settled: ended }: { shard: number; part: number; settled: SettledAsset[] },
  { signal, remove, tidy = async () => [], hold = () => Promise.resolve() }: SettleOptions = {},
): Promise<void> {
  const page = await store.manifest.page(shard);
  const wanted = new Map(page.map((asset) => [asset.key, asset]));
  const isUnfinished = ended.some(({ outcome }) => outcome !== 'complete');
  const calls = isUnfinished ? await store.callsOf(shard) : [];
  const called = new Set(calls.filter(isBuiltOn).flatMap(({ assets }) => assets));
  const { run } = store.context;
  const ours = calls.filter((call) => isEndedBy(call, run));
  const told = ended.map((asset) => withUntold(withDoubts(asset, calls), ours, store.refs));
  const known = await mapBounded(told, (asset) => unlessLost(store, asset, wanted.get(asset.key)), {
    signal,
  });
  const settling = { store, shard, called, keepsOld: remove === undefined };
  const olds = await mapBounded(
    known,
    async (asset) => {
      await hold();
      return settleOne(settling, asset, wanted.get(asset.key));
    },
    { signal },
  );
  await hold();
  const settled = await mapBounded(known, async (asset) => {
    if (asset.outcome !== 'complete') return asset;
    const { moved } = wanted.get(asset.key) ?? {};
    const more = await tidy({ ...asset, ...withoutUndefined({ moved }) });
    // Only now: until here the next run would finish this move.
    if (moved) await endMove(store, moved);
    return more.length === 0 ? asset : { ...asset, warnings: [...asset.warnings, ...more] };
  });
  if (remove === undefined) return store.results.write(run, shard, part, settled);
  const deleted = await mapBounded(
    settled,
    async (asset, index) => {
      const old = olds[index];
      return old ? { asset, old, left: await deleteOldVersions(store, old, remove) } : { asset };
    },
    { atOnce: deletionsAtOnce },
  );
  const kept = deleted.map(({ asset, old, left }) => (old ? withDeleted(old, left) : asset));
  await store.results.write(run, shard, part, kept);
  for (const { old, left } of deleted) {
    if (!old || !left) continue;
    // Resources that cannot be deleted are already in the report.
    if (left.later) await keepOldVersions(store, old, shard);
    else await forgetOldVersions(store, old);
  }
}

/** If a source came back to its old key while this run took its record over, the files there are not ours to remove. */
async function unlessLost(
  { records, context }: RunStore,
  asset: SettledAsset,
  wanted: ManifestAsset | undefined,
): Promise<SettledAsset> {
  const { moved } = wanted ?? {};
  if (!moved || asset.outcome !== 'complete' || (await records.isThere(moved.record))) return asset;
  const { key, source } = asset;
  // An earlier attempt may have deleted the old record.
  const own = await records.read(recordName(key, source.version, recipeOf(context.recipe, source)));
  if (own?.run === context.run) return asset;
  return { ...asset, files: asset.files.map(({ was: _was, ...file }) => file) };
}

function withDoubts(asset: SettledAsset, calls: readonly Intent[]): SettledAsset {
  if (asset.outcome === 'complete') return asset;
  return { ...asset, warnings: [...asset.warnings, ...untoldDoubts(asset, calls)] };
}

/** Adds ids from calls whose step failed or was cancelled before it could report them. */
function withUntold(asset: SettledAsset, ours: readonly Intent[], book: RefBook): SettledAsset {
  if (asset.outcome === 'complete') return asset;
  return { ...asset, refs: { ...asset.refs, ...untoldFor(asset, ours, book) } };
}

interface Settling {
  store: RunStore;
  shard: number;
  /** Keys of assets with calls that the next run must know. */
  called: ReadonlySet<string>;
  keepsOld: boolean;
}

/** Returns the older versions to be deleted; the asset stays claimed until they are deleted. */
async function settleOne(
  { store, shard, called, keepsOld }: Settling,
  asset: SettledAsset,
  wanted: ManifestAsset | undefined,
): Promise<OldVersions | null> {
  const { key, source, refs } = asset;
  const { moved } = wanted ?? {};
  const recipe = recipeOf(store.context.recipe, source);
  const wish = { key, version: source.version, recipe, shard, moved };
  const left = asset.files.length > 0 ? { ...refs, delivered: asset.files } : refs;
  if (moved && asset.outcome !== 'complete') await releaseMove(store.claims, moved);
  switch (asset.outcome) {
    case 'complete': {
      const { run, lineage } = store.context;
      const old = keepsOld || !wanted ? null : await oldVersionsOf(store, asset, wanted);
      const model = modelKeyOf(asset);
      const finishedAt = new Date(store.now()).toISOString();
      const before = wanted ? await recordsBefore(store, { key, source, recipe }, wanted) : [];
      const sent = store.sourceHashes.get(model, source.version);
      const sourceSha256 =
        sent ?? wanted?.sourceSha256 ?? refs.sourceSha256 ?? hashIn(before, source);
      const earlier = wanted ? earlierFor(store, { source, recipe }, wanted, before) : [];
      const made = madeAtOf(wanted?.stands ?? [], before.at(-1) ?? null);
      await store.records.write(
        {
          key,
          source,
          ...withoutUndefined({ sourceSha256 }),
          recipe,
          refs: withoutTraces(refs),
          files: asset.files,
          ...(old ? { superseded: old.things } : {}),
          ...(earlier.length > 0 ? { earlier } : {}),
          ...withoutUndefined({ moved }),
          ...(Object.keys(made).length > 0 ? { made } : {}),
          run,
          lineage,
          finishedAt,
        },
        old ? [] : wanted?.previous,
      );
      // Other cells of the model still need the hash of the file.
      if (model === key) store.sourceHashes.forget(key, source.version);
      if (old) return old;
      await store.claims.release(key);
      return null;
    }
    case 'failed':
      await store.claims.leave({ ...wish, refs: withoutCounts(left) }, 'failed', asset.failure);
      return null;
    case 'cancelled':
    case 'skipped': {
      const goesOn = asset.outcome === 'skipped' || asset.renderGoesOn;
      const kept = goesOn ? left : store.refs.afterCancel(left);
      // The next run must find everything that was created, or may have been created, for the asset.
      const isKnown =
        store.refs.isUploaded(kept) || namesOf(asset).some((name) => called.has(name));
      if (isKnown) await store.claims.leave({ ...wish, refs: kept }, asset.outcome, null);
      else await store.claims.release(key);
      return null;
    }
  }
}

/**
 * The records that the new record replaces, the newest last. Read only if the new record keeps something of them: the
 * recipe changed, a part expired, or the asset was forced.
 */
async function recordsBefore(
  { records, context }: RunStore,
  now: Pick<AssetRecord, 'key' | 'source' | 'recipe'>,
  { reason, moved, previous = [] }: ManifestAsset,
): Promise<AssetRecord[]> {
  if (reason !== 'recipe' && reason !== 'age' && reason !== 'force') return [];
  const names = [...previous.toReversed(), ...(moved ? [moved.record] : [])];
  const read = names.map(async (name) => {
    const record = await records.read(name);
    // A moved source has the same content, whatever version its new place reports.
    return record && name === moved?.record ? { ...record, source: now.source } : record;
  });
  const before = (await Promise.all(read)).flatMap((record) => record ?? []);
  if (before.length > 0) return before;
  // An earlier attempt may have written the record and removed those before it.
  const own = await records.read(recordName(now.key, now.source.version, now.recipe));
  return own?.run === context.run ? [own] : [];
}

/** The hash in an earlier record of the same file. */
function hashIn(before: readonly AssetRecord[], { version }: AssetSource): string | undefined {
  return before.findLast((one) => isBuiltOf(one.source.version, version))?.sourceSha256;
}

function earlierFor(
  { context, refs }: RunStore,
  now: Pick<AssetRecord, 'source' | 'recipe'>,
  { reason, earlier = [] }: ManifestAsset,
  before: readonly AssetRecord[],
): EarlierWork[] {
  if (reason !== 'recipe') return earlier;
  const [own] = before;
  if (own?.run === context.run) return own.earlier ?? [];
  return earlierOf(now, before, refs);
}

/** Drops ids that a record stores in other fields. */
function withoutTraces({
  stands: _stands,
  delivered: _delivered,
  sourceSha256: _sha256,
  ...refs
}: Refs): Refs {
  return refs;
}

/** The next run starts to count retries from zero. */
function withoutCounts({ retries: _retries, ...refs }: Refs): Refs {
  return refs;
}
