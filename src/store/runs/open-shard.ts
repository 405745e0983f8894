import { setTimeout as delay } from 'node:timers/promises';
import { joinDuplicateWarnings, mergeCreatedIds } from '../../plan/duplicate-warnings.ts';
import { groupBy } from '../../plan/helpers/group-by.ts';
import { omitUndefined } from '../../plan/helpers/omit-undefined.ts';
import type { PlatformIds } from '../../plan/platform-ids.ts';
import type { Asset, AssetSource, DeliveredFile, Stages } from '../../plan/types.ts';
import { findCreatedIds } from '../calls/created-ids.ts';
import { type Intent, isIntentHandledBy, type Origin } from '../calls/intents.ts';
import { findDuplicateWarnings } from '../calls/possible-duplicates.ts';
import type { AssertLease } from '../claims/assert-lease.ts';
import {
  type Claim,
  type ClaimHolder,
  type HolderOptions,
  isOfOtherObject,
} from '../claims/claims.ts';
import { claimMove, releaseMove } from '../claims/moves.ts';
import { mapBounded } from '../objects/map-bounded.ts';
import { recordName } from '../objects/object-name.ts';
import { PromiseCache } from '../objects/promise-cache.ts';
import { assetRecipeOf, findCommonPositions } from '../records/asset-recipe.ts';
import { modelKeyOf } from '../records/cell-keys.ts';
import {
  type EarlierWork,
  findMostReusableIds,
  listWorkByRecipe,
} from '../records/earlier-work.ts';
import { computeReusableStages } from '../records/recipes.ts';
import type { AssetRecord, MovedFrom } from '../records/records.ts';
import { canReuseWork } from '../records/source-version.ts';
import { findConflictingRecords, hasNewKey, otherKeyOf } from './namesakes.ts';
import type { RunAsset } from './run-assets.ts';
import type { RunStore } from './run-store.ts';

export interface OpenShardOptions extends HolderOptions {
  assertLease?: AssertLease;
  signal?: AbortSignal;
  /** Waits before a claim is read again. @default waits in real time */
  pause?: (ms: number) => Promise<unknown>;
}

/** An asset with its index in the shard's page of the run assets. */
export interface OpenedAsset extends Asset {
  assetIndex: number;
  /** Set only for complete assets. */
  files?: DeliveredFile[];
}

export interface TakenAsset {
  key: string;
  /** The run that works on the asset or has delivered it. */
  by: string;
  /** True if that run belongs to another Temporal server, which cannot be asked whether the run is open. */
  elsewhere?: true;
}

interface ClaimedShard {
  assets: OpenedAsset[];
  /** Assets that this run has already delivered, with their files, because the shard was reset. */
  complete: OpenedAsset[];
  taken: TakenAsset[];
  /** Assets in `assets` that must not be processed, because the run `by` has assigned their keys to other objects. */
  namesakes: Namesake[];
}

const unknownRun = 'another run';
/** Claims of two runs that are at most this far apart may have been written before either run read the other one. */
const simultaneousMs = 10_000;
const releasePollMs = 200;
const maxReleaseRounds = 25;

type Namesake = OpenedAsset & { by: string };

type ClaimedItem =
  | { asset: OpenedAsset; from?: Origin[]; takenAt: string }
  | { complete: OpenedAsset }
  | { namesake: Namesake }
  | { taken: TakenAsset };

/** Claims the assets of a page of run assets. Safe to repeat: claims of this run stay. */
export async function openShard(
  store: RunStore,
  shard: number,
  options: OpenShardOptions,
): Promise<ClaimedShard> {
  const page = await store.runAssets.page(shard);
  const { category = null } = (await store.runAssets.head()) ?? {};
  const opener = new ShardOpener(store, shard, category, options);
  const models = groupBy(page.entries(), ([, runAsset]) => modelKeyOf(runAsset));
  const groups = await mapBounded([...models.values()], (cells) => opener.openModel(cells), {
    signal: options.signal,
  });
  const items = await splitOffNamesakes(store, page, groups.flat(), options.signal);
  const origins = items.flatMap((item) => ('asset' in item ? (item.from ?? []) : []));
  const takenAt = items.flatMap((item) => ('asset' in item && item.from ? [item.takenAt] : []));
  await store.writeOrigins(shard, origins, takenAt.sort()[0]);
  const namesakes = items.flatMap((item) => ('namesake' in item ? [item.namesake] : []));
  return {
    assets: [...items.flatMap((item) => ('asset' in item ? [item.asset] : [])), ...namesakes],
    namesakes,
    complete: items.flatMap((item) => ('complete' in item ? [item.complete] : [])),
    taken: items.flatMap((item) => ('taken' in item ? [item.taken] : [])),
  };
}

/**
 * Releases the claims of new keys if another run has since our discovery delivered another object under the key, or the
 * same object under its other key.
 */
async function splitOffNamesakes(
  store: RunStore,
  page: readonly RunAsset[],
  items: readonly ClaimedItem[],
  signal: AbortSignal | undefined,
): Promise<ClaimedItem[]> {
  const isNew = ({ assetIndex }: OpenedAsset) => {
    const asset = page[assetIndex];
    return asset !== undefined && hasNewKey(asset);
  };
  const assets = items.flatMap((item) => ('asset' in item && isNew(item.asset) ? item.asset : []));
  const { ofOthers, underOtherKeys } = await findConflictingRecords(store, assets, signal);
  for (const key of [...ofOthers.keys(), ...underOtherKeys.keys()]) await store.claims.release(key);
  return items.map((item) => {
    if (!('asset' in item)) return item;
    const { key } = item.asset;
    const other = ofOthers.get(key);
    if (other) return { namesake: { ...item.asset, by: other.run } };
    const delivered = underOtherKeys.get(key);
    return delivered ? { taken: { key, by: delivered.run } } : item;
  });
}

/** Finds reusable ids of earlier work on the file. @param stages of the current recipe (default: the stored ones) */
export async function findReusableIds(
  { recipes, context, idRules }: RunStore,
  works: readonly EarlierWork[],
  source: AssetSource,
  stages?: Stages,
): Promise<PlatformIds> {
  const knownRecipes = await recipes.readKnown();
  const currentRecipe = context.recipe;
  const standing = (was: string) =>
    computeReusableStages(knownRecipes, { was, currentRecipe, stages }, source);
  return findMostReusableIds(works, standing, idRules);
}

class ShardOpener {
  readonly #store: RunStore;
  readonly #shard: number;
  readonly #category: string | null;
  readonly #options: OpenShardOptions;
  readonly #holderOptions: HolderOptions;
  readonly #aliveByHolder = new PromiseCache<boolean>();
  readonly #calls = new PromiseCache<Intent[]>();

  constructor(store: RunStore, shard: number, category: string | null, options: OpenShardOptions) {
    this.#store = store;
    this.#shard = shard;
    this.#category = category;
    this.#options = options;
    this.#holderOptions = { ...options, isAlive: (holder) => this.#checkAlive(holder) };
  }

  /**
   * Claims the cells of a model. If the model is not uploaded yet, the run that claims the first cell gets all of them.
   * Otherwise two concurrent runs would each upload the model for their own cells.
   */
  async openModel(cells: readonly [index: number, runAsset: RunAsset][]): Promise<ClaimedItem[]> {
    const [first, ...others] = cells;
    if (first === undefined) return [];
    const firstItem = await this.#openAsset(...first);
    const isShared =
      'taken' in firstItem && !this.#store.idRules.isUploaded(first[1].platformIds ?? {});
    const otherItems = await mapBounded(others, async ([index, runAsset]): Promise<ClaimedItem> => {
      if (isShared) return { taken: { ...firstItem.taken, key: runAsset.key } };
      return this.#openAsset(index, runAsset);
    });
    return [firstItem, ...otherItems];
  }

  async #openAsset(index: number, runAsset: RunAsset): Promise<ClaimedItem> {
    const { key, source, reason, moved, deliveredBy, previous, platformIds = {} } = runAsset;
    const { claims, records, context, idRules } = this.#store;
    const recipe = assetRecipeOf(context.recipe, source);
    const { id: sourceId, version } = source;
    const request = { key, sourceId, version, recipe, shard: this.#shard, platformIds, moved };
    await this.#options.assertLease?.();
    const other = reason === 'recipe' ? await this.#findRecord(runAsset) : null;
    const isNewKey = hasNewKey(runAsset);
    const result = await claims.claim(request, {
      isNewKey,
      ...this.#holderOptions,
      adopt: (oldClaim) => this.#adopt(oldClaim, runAsset, { recipe, record: other }),
    });
    if (!result.isOurs && isNewKey && isOfOtherObject(result.by, source.id))
      return { namesake: { assetIndex: index, key, source, platformIds, by: result.by.run } };
    if (!result.isOurs) return { taken: { key, ...this.#holderOf(result.by) } };
    const otherClaim = isNewKey ? await this.#findOtherClaim(runAsset, result.claim) : null;
    if (otherClaim) {
      await claims.release(key);
      return { taken: { key, ...this.#holderOf(otherClaim) } };
    }
    const name = recordName(key, version, recipe);
    if (reason === 'redeliver' || reason === 'force')
      await this.#removeStaleRecords(runAsset, name);
    // A run that delivered the asset since our discovery wrote its record before it released its claim.
    if (await records.exists(name)) {
      const record = await records.read(name);
      // An expired record, or an older one whose work is delivered again, stays until the new one is written.
      const isKnown =
        reason === 'recipe' &&
        record?.run !== context.run &&
        (await this.#isUnreplaced(name, previous));
      const isOld = isKnown || record?.run === deliveredBy;
      if (record && record.run !== context.run && !isOld) {
        await claims.release(key);
        return { taken: { key, by: record.run } };
      }
      if (record && !isOld) {
        const { platformIds: recordedIds, files } = record;
        return { complete: { assetIndex: index, key, source, platformIds: recordedIds, files } };
      }
    }
    if (moved) {
      const holder = await this.#heldBy(moved, request);
      if (holder !== null) {
        await claims.release(key);
        return { taken: { key, ...holder } };
      }
    }
    const { from, at: takenAt, platformIds: claimedIds } = result.claim;
    const uploadIds = other ? this.#uploadOf(other, source) : {};
    // If the claim was taken over from an earlier run, `#adopt` has already chosen the ids that are still valid.
    const reusableIds = from === undefined ? await this.#reusableOf(other, source) : {};
    const allIds: PlatformIds = { ...uploadIds, ...reusableIds, ...claimedIds };
    const { uploadStarted, ...knownIds } = allIds;
    const isUploadStarted = uploadStarted === true && !idRules.isUploaded(knownIds);
    const ids = isUploadStarted ? { ...knownIds, uploadStarted } : knownIds;
    const asset = { assetIndex: index, key, source, platformIds: ids };
    return { asset, takenAt, ...omitUndefined({ from }) };
  }

  /**
   * Returns another run's claim on the other key of the object, or null. Each run claims its key before it reads the
   * other one, so at least one of two runs notices the conflict and leaves the object to the other run. If both do, the
   * run with the shorter key waits until the other one has released its claim.
   */
  async #findOtherClaim(runAsset: RunAsset, { key, at }: Claim): Promise<Claim | null> {
    const { claims, context } = this.#store;
    const { signal, pause = (ms) => delay(ms, undefined, { signal }) } = this.#options;
    for (let round = 1; ; round += 1) {
      const claim = await claims.read(otherKeyOf(runAsset));
      const isOfSameObject = claim?.sourceId === runAsset.source.id;
      if (!claim || claim.run === context.run || !isOfSameObject) return null;
      const isSimultaneous = Math.abs(Date.parse(claim.at) - Date.parse(at)) < simultaneousMs;
      const mayWait = claim.state === 'working' && isSimultaneous && key.length < claim.key.length;
      if (!mayWait || round === maxReleaseRounds) return claim;
      await pause(releasePollMs);
    }
  }

  /** Returns the holder of the record that the asset should take over, or null if this run has claimed the record. */
  async #heldBy(
    moved: MovedFrom,
    request: Parameters<typeof claimMove>[2],
  ): Promise<Omit<TakenAsset, 'key'> | null> {
    const { claims, records } = this.#store;
    const result = await claimMove(claims, moved, request, this.#holderOptions);
    if (!result.isOurs) return this.#holderOf(result.by);
    if (await records.exists(moved.record)) return null;
    // Another run has moved the record since our discovery. The next run finds the new key.
    await releaseMove(claims, moved);
    return { by: unknownRun };
  }

  /**
   * True if our discovery knew this record as an older one and no run has delivered the asset since. A run that delivers
   * the asset removes its other records.
   */
  async #isUnreplaced(name: string, previous: readonly string[] = []): Promise<boolean> {
    const other = previous.find((previousName) => previousName !== name);
    if (!previous.includes(name)) return false;
    return other === undefined || this.#store.records.exists(other);
  }

  /**
   * Removes the records of an asset that is delivered again or forced, unless another run has delivered the asset again
   * since our discovery. The claim keeps their ids for the next run.
   */
  async #removeStaleRecords(
    { previous = [], deliveredBy }: RunAsset,
    current: string,
  ): Promise<void> {
    const { records, context } = this.#store;
    for (const name of previous) {
      const record = await records.read(name);
      const isStale = name !== current || [undefined, record?.run].includes(deliveredBy);
      if (record && record.run !== context.run && isStale) await records.remove(name);
    }
  }

  /** True if the holder of a claim is open. Asks once for each shard of a run. */
  #checkAlive(holder: ClaimHolder): Promise<boolean> {
    const name = `${holder.shard} ${holder.run}`;
    return this.#aliveByHolder.getOrStart(name, () => this.#options.isAlive(holder));
  }

  #holderOf(claim: Claim): Omit<TakenAsset, 'key'> {
    const isElsewhere = this.#store.claims.isElsewhere(claim);
    // An unreadable claim names no run.
    return { by: claim.run || unknownRun, ...(isElsewhere ? { elsewhere: true } : {}) };
  }

  /** Finds reusable ids of the old claim. They stay in the new claim, where a repeated attempt finds them. */
  async #adopt(
    oldClaim: Claim,
    runAsset: RunAsset,
    current: { recipe: string; record: AssetRecord | null },
  ): Promise<PlatformIds> {
    const reusableIds = await this.#findReusableIds(oldClaim, runAsset, current);
    const { uploadStarted: _begun, ...platformIds } = reusableIds;
    return this.#mayHaveStarted(oldClaim, runAsset.source.version)
      ? { ...platformIds, uploadStarted: true }
      : platformIds;
  }

  /**
   * True if the previous holder may have started to upload this version of the file without finishing it. If the asset
   * failed later, its upload was finished, and its ids say whether it can be used.
   */
  #mayHaveStarted({ state, version, platformIds = {} }: Claim, currentVersion: string): boolean {
    const isLater =
      platformIds.lastCreatedAtMs !== undefined || this.#store.idRules.isUploaded(platformIds);
    return !(state === 'failed' && isLater) && canReuseWork(version, currentVersion);
  }

  /** Finds the reusable ids of an earlier claim and of the record: all ids if source and recipe are the same. */
  async #findReusableIds(
    claim: Claim,
    runAsset: RunAsset,
    { recipe, record }: { recipe: string; record: AssetRecord | null },
  ): Promise<PlatformIds> {
    const platformIds = claim.platformIds ?? {};
    const idRules = this.#store.idRules;
    const isOwn = claim.run === this.#store.context.run;
    // Ids of another file or recipe may not be reusable, but their possible duplicates must still be reported.
    const duplicatesWith = (unreported: string | undefined): PlatformIds =>
      omitUndefined({
        possibleDuplicate: joinDuplicateWarnings(platformIds.possibleDuplicate, unreported),
      });
    if (!canReuseWork(claim.version, runAsset.source.version)) {
      const unreported = isOwn ? undefined : await this.#findDuplicate(claim, runAsset);
      const reusableIds = runAsset.moved ? await this.#reusableOf(record, runAsset.source) : {};
      return { ...reusableIds, ...duplicatesWith(unreported) };
    }
    const createdIds = isOwn ? {} : await this.#findCreatedIds(claim, runAsset);
    // The claim's run did not take over the moved record, so the record contains more finished work than the claim.
    const isWeaker = runAsset.moved && claim.moved === undefined && record?.recipe === recipe;
    const duplicates = duplicatesWith(createdIds.possibleDuplicate);
    if (isWeaker) return { ...(await this.#reusableOf(record, runAsset.source)), ...duplicates };
    if (claim.recipe !== recipe) {
      const works = [
        { recipe: claim.recipe, platformIds },
        ...(record ? listWorkByRecipe(record, idRules) : []),
      ];
      const reusableIds = await findReusableIds(this.#store, works, runAsset.source);
      const uploadIds = idRules.uploadIds(platformIds, this.#category);
      return { ...uploadIds, ...reusableIds, ...duplicates };
    }
    if (isOwn) return platformIds;
    // A run that died before it created anything has not stored which stages of the record are reusable.
    const hasNothing =
      claim.state === 'working' &&
      !platformIds.reusableStages &&
      Object.keys(createdIds).length === 0;
    const reusableIds = hasNothing ? await this.#reusableOf(record, runAsset.source) : {};
    return mergeCreatedIds({ ...reusableIds, ...platformIds }, createdIds);
  }

  /** Finds the ids of a record and of its earlier work that the current recipe can reuse. */
  async #reusableOf(record: AssetRecord | null, source: AssetSource): Promise<PlatformIds> {
    if (record === null) return {};
    return findReusableIds(this.#store, listWorkByRecipe(record, this.#store.idRules), source);
  }

  /** Returns a warning about what a dead run may have paid for twice. A run that finished has reported it itself. */
  async #findDuplicate(claim: Claim, { key, source }: RunAsset): Promise<string | undefined> {
    if (claim.state !== 'working') return undefined;
    const claimedAsset = { key, source: { ...source, version: claim.version }, warnings: [] };
    const warnings = findDuplicateWarnings(claimedAsset, await this.#callsOfShard(claim));
    return joinDuplicateWarnings(...warnings);
  }

  /** Reads the calls of each shard only once. */
  #callsOfShard({ run, shard }: Claim): Promise<Intent[]> {
    const name = `${shard} ${run}`;
    return this.#calls.getOrStart(name, () => this.#store.callsOfShard({ run, shard }));
  }

  /** Finds ids that a dead run received but could not pass on, and ids that other runs received from its calls. */
  async #findCreatedIds(claim: Claim, runAsset: RunAsset): Promise<PlatformIds> {
    const { run, state, at } = claim;
    const calls = await this.#callsOfShard(claim);
    const ownCalls =
      state === 'working' ? calls.filter((call) => isIntentHandledBy(call, run)) : [];
    const { idRules } = this.#store;
    return mergeCreatedIds(
      findCreatedIds(runAsset, ownCalls, idRules),
      findCreatedIds(runAsset, calls, idRules, Date.parse(at)),
    );
  }

  /** Finds the record of the same file under another recipe. */
  async #findRecord({ source, moved, previous = [] }: RunAsset): Promise<AssetRecord | null> {
    const [name = ''] = moved ? [moved.record] : previous;
    const record = name === '' ? null : await this.#store.records.read(name);
    // Discovery has compared the content of moved sources.
    const isSame = moved || (record && canReuseWork(record.source.version, source.version));
    return isSame ? record : null;
  }

  /** Finds the ids valid under another recipe: those of the upload, and of grid positions that look the same. */
  #uploadOf(record: AssetRecord, source: AssetSource): PlatformIds {
    const { idRules } = this.#store;
    const uploadIds = idRules.uploadIds(record.platformIds, this.#category);
    const common = findCommonPositions(source, record.source);
    return { ...uploadIds, ...idRules.ofPositions(record.platformIds, common) };
  }
}
