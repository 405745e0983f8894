// Writes down how assets ended: the record first, then the claim, then the results page; in this order a
// crash in between leaves nothing that a second attempt does not put right.
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

/** An asset with its files, and where its source was before. */
export type Delivered = Pick<SettledAsset, 'key' | 'source' | 'files'> &
  Pick<ManifestAsset, 'moved'>;

export interface SettleOptions {
  /** Only where nothing is deleted: half a deletion would not tell what is left. */
  signal?: AbortSignal;
  /** Deletes the things of older versions of changed files; absent: they stay. */
  remove?: Remove;
  /** Called once the record of a complete asset is there; answers what is worth telling. */
  tidy?: (asset: Delivered) => Promise<string[]>;
  hold?: Hold;
}

/** Settles a part of a shard. Safe when it runs twice. */
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
    // Until here the next run would end what this one has begun.
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
    // Things that stay for good are in the report already.
    if (left.later) await keepOldVersions(store, old, shard);
    else await forgetOldVersions(store, old);
  }
}

/** Where the source came back to its old key while this run took it over, the files there are not ours to remove. */
async function unlessLost(
  { records, context }: RunStore,
  asset: SettledAsset,
  wanted: ManifestAsset | undefined,
): Promise<SettledAsset> {
  const { moved } = wanted ?? {};
  if (!moved || asset.outcome !== 'complete' || (await records.isThere(moved.record))) return asset;
  const { key, source } = asset;
  // An attempt before this one may have ended the old record.
  const own = await records.read(recordName(key, source.version, recipeOf(context.recipe, source)));
  if (own?.run === context.run) return asset;
  return { ...asset, files: asset.files.map(({ was: _was, ...file }) => file) };
}

function withDoubts(asset: SettledAsset, calls: readonly Intent[]): SettledAsset {
  if (asset.outcome === 'complete') return asset;
  return { ...asset, warnings: [...asset.warnings, ...untoldDoubts(asset, calls)] };
}

/** Adds the refs from calls of a step that failed as a whole, or was cancelled, before it could report them. */
function withUntold(asset: SettledAsset, ours: readonly Intent[], book: RefBook): SettledAsset {
  if (asset.outcome === 'complete') return asset;
  return { ...asset, refs: { ...asset.refs, ...untoldFor(asset, ours, book) } };
}

interface Settling {
  store: RunStore;
  shard: number;
  /** Keys of assets for which calls were made that whoever takes them over has to know. */
  called: ReadonlySet<string>;
  keepsOld: boolean;
}

/** Answers the older versions that are to be deleted; the asset is not free before. */
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
      // Other cells of the model have the same file.
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
      // The next run of the asset must find everything that was made of it, or may have been made.
      const isKnown =
        store.refs.isUploaded(kept) || namesOf(asset).some((name) => called.has(name));
      if (isKnown) await store.claims.leave({ ...wish, refs: kept }, asset.outcome, null);
      else await store.claims.release(key);
      return null;
    }
  }
}

/**
 * The records that the new one takes the place of, the newest last. Read only where it keeps something of them: another recipe of the
 * same file was delivered, or a part of it was too old.
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
    // What was moved has the same content, whatever its place says of it.
    return record && name === moved?.record ? { ...record, source: now.source } : record;
  });
  const before = (await Promise.all(read)).flatMap((record) => record ?? []);
  if (before.length > 0) return before;
  // An attempt before this one may have written the record, and removed those before it.
  const own = await records.read(recordName(now.key, now.source.version, now.recipe));
  return own?.run === context.run ? [own] : [];
}

/** The hash of the same file, which nobody has read again. */
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

/** A record has its files and the hash of its source, and all that it names stands. */
function withoutTraces({
  stands: _stands,
  delivered: _delivered,
  sourceSha256: _sha256,
  ...refs
}: Refs): Refs {
  return refs;
}

/** The next run of the asset counts its retries anew. */
function withoutCounts({ retries: _retries, ...refs }: Refs): Refs {
  return refs;
}
