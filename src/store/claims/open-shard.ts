// Opens a shard: claims its assets and adopts the work of earlier runs.

import { groupBy } from '../../plan/group-by.ts';
import type { Refs } from '../../plan/refs.ts';
import type { Asset, AssetSource, DeliveredFile, Stages } from '../../plan/types.ts';
import { withoutUndefined } from '../../plan/without-undefined.ts';
import { madeFor } from '../calls/answered.ts';
import { type Intent, isEndedBy, type Origin } from '../calls/intents.ts';
import { untoldDoubts } from '../calls/untold-doubts.ts';
import { mapBounded } from '../objects/bounded.ts';
import { recordName } from '../objects/object-name.ts';
import { modelKeyOf } from '../records/asset-names.ts';
import { isSameColorway, recipeOf } from '../records/asset-recipe.ts';
import { type EarlierWork, standingWork, worksOf } from '../records/earlier-work.ts';
import type { MovedFrom } from '../records/moved-from.ts';
import { standingUnder } from '../records/recipes.ts';
import type { AssetRecord } from '../records/records.ts';
import { isBuiltOf } from '../records/source-version.ts';
import type { ManifestAsset } from '../runs/manifest.ts';
import type { RunStore } from '../runs/run-store.ts';
import type { Claim, ClaimHolder } from './claims.ts';
import type { Hold } from './hold.ts';
import { claimMove, releaseMove } from './moves.ts';

export interface OpenShardOptions {
  /** Is this run, or its shard, still open? Asked only about runs of the same Temporal namespace. */
  isAlive: (holder: ClaimHolder) => Promise<boolean>;
  /**
   * A person states that runs of other Temporal servers which have held an asset for this long are dead, since this server
   * cannot be asked about them. null: their claims stay valid.
   */
  takeOverMs?: number | null;
  hold?: Hold;
  signal?: AbortSignal;
}

/** An asset with its index in the shard's page of the manifest. */
export interface OpenedAsset extends Asset {
  at: number;
  /** Only of complete assets. */
  files?: DeliveredFile[];
}

export interface TakenAsset {
  key: string;
  /** The run that works on the asset or has delivered it. */
  by: string;
  /** That run belongs to another Temporal server, which cannot be asked whether the run is open. */
  elsewhere?: true;
}

interface OpenedShardOfStore {
  assets: OpenedAsset[];
  /** Assets that this run has already delivered, with their files: the shard was reset. */
  complete: OpenedAsset[];
  taken: TakenAsset[];
}

/** Stands for a run whose id is not known. */
const someOtherRun = 'another run';

type Opened =
  | { asset: OpenedAsset; from?: Origin[]; takenAt: string }
  | { complete: OpenedAsset }
  | { taken: TakenAsset };

/** True if the previous holder may have started to upload this version of the file without finishing it. */
function wasOpen(before: Claim, version: string): boolean {
  return before.state !== 'failed' && isBuiltOf(before.version, version);
}

/** Claims the assets of a manifest page. Safe to repeat: claims of this run stay. */
export async function openShard(
  store: RunStore,
  shard: number,
  options: OpenShardOptions,
): Promise<OpenedShardOfStore> {
  const page = await store.manifest.page(shard);
  const opening = new Opening(store, shard, await store.manifest.category(), options);
  const models = groupBy(page.entries(), ([, wanted]) => modelKeyOf(wanted));
  const groups = await mapBounded([...models.values()], (cells) => opening.openModel(cells), {
    signal: options.signal,
  });
  const opened = groups.flat();
  const origins = opened.flatMap((item) => ('asset' in item ? (item.from ?? []) : []));
  const takenAt = opened.flatMap((item) => ('asset' in item && item.from ? [item.takenAt] : []));
  await store.keepOrigins(shard, origins, takenAt.sort()[0]);
  return {
    assets: opened.flatMap((item) => ('asset' in item ? [item.asset] : [])),
    complete: opened.flatMap((item) => ('complete' in item ? [item.complete] : [])),
    taken: opened.flatMap((item) => ('taken' in item ? [item.taken] : [])),
  };
}

/**
 * The ids of earlier work on the same file that the current recipe can reuse.
 * @param stages of the current recipe; absent: those that are stored
 */
export async function standingRefs(
  { recipes, context, refs: book }: RunStore,
  works: readonly EarlierWork[],
  source: AssetSource,
  stages?: Stages,
): Promise<Refs> {
  const known = await recipes.known();
  const now = context.recipe;
  const standing = (was: string) => standingUnder(known, { was, now, stages }, source);
  return standingWork(works, standing, book);
}

class Opening {
  readonly #store: RunStore;
  readonly #shard: number;
  readonly #category: string | null;
  readonly #options: OpenShardOptions;
  readonly #alive = new Map<string, Promise<boolean>>();
  readonly #calls = new Map<string, Promise<Intent[]>>();

  constructor(store: RunStore, shard: number, category: string | null, options: OpenShardOptions) {
    this.#store = store;
    this.#shard = shard;
    this.#category = category;
    this.#options = options;
  }

  /**
   * If the model is not uploaded yet, the run that claims its first cell gets all of its cells. Otherwise two concurrent
   * runs would each upload the model for the cells that they got.
   */
  async openModel(cells: readonly [at: number, wanted: ManifestAsset][]): Promise<Opened[]> {
    const [first, ...others] = cells;
    if (first === undefined) return [];
    const opened = await this.#open(...first);
    const isShared = 'taken' in opened && !this.#store.refs.isUploaded(first[1].refs ?? {});
    const rest = others.map(async ([at, wanted]): Promise<Opened> => {
      if (isShared) return { taken: { ...opened.taken, key: wanted.key } };
      return this.#open(at, wanted);
    });
    return [opened, ...(await Promise.all(rest))];
  }

  async #open(at: number, wanted: ManifestAsset): Promise<Opened> {
    const { key, source, reason, moved, madeBy, refs = {} } = wanted;
    const { claims, records, context, refs: book } = this.#store;
    const recipe = recipeOf(context.recipe, source);
    const wish = { key, version: source.version, recipe, shard: this.#shard, refs, moved };
    await this.#options.hold?.();
    const other = reason === 'recipe' ? await this.#recordOf(wanted) : null;
    const result = await claims.claim(wish, {
      isAlive: (holder) => this.#askAlive(holder),
      adopt: (before) => this.#adopt(before, wanted, { recipe, record: other }),
    });
    if (!result.ours) {
      const elsewhere = this.#isElsewhere(result.by) ? { elsewhere: true as const } : {};
      return { taken: { key, by: result.by.run, ...elsewhere } };
    }
    if (reason === 'redeliver' || reason === 'force') await this.#withdraw(wanted);
    // Another run may have delivered the asset between our discovery and our claim. It wrote its record before it released
    // its claim.
    if (await records.has(key, source.version, recipe)) {
      const record = await records.read(recordName(key, source.version, recipe));
      // An expired record stays until the new one is written.
      const isOld = record !== null && record.run === madeBy;
      if (record && record.run !== context.run && !isOld) {
        await claims.release(key);
        return { taken: { key, by: record.run } };
      }
      if (record && !isOld)
        return { complete: { at, key, source, refs: record.refs, files: record.files } };
    }
    if (moved) {
      const by = await this.#heldBy(moved, wish);
      if (by !== null) {
        await claims.release(key);
        return { taken: { key, ...by } };
      }
    }
    const { from, at: takenAt, refs: kept } = result.claim;
    const uploaded = other ? this.#uploadOf(other, source) : {};
    // A claim of a later attempt already says which ids are still valid.
    const stands =
      from === undefined && other
        ? await standingRefs(this.#store, worksOf(other, book), source)
        : {};
    const delivered = { ...uploaded, ...stands };
    const { begun, ...known }: Refs = { ...delivered, ...kept };
    const isBegun = begun === true && !book.isUploaded(known);
    const asset = { at, key, source, refs: isBegun ? { ...known, begun: true as const } : known };
    return { asset, takenAt, ...(from ? { from } : {}) };
  }

  /** The holder of the record that the asset should take over; null if this run has claimed the record. */
  async #heldBy(
    moved: MovedFrom,
    wish: Parameters<typeof claimMove>[2],
  ): Promise<Omit<TakenAsset, 'key'> | null> {
    const { claims, records } = this.#store;
    const isAlive = (holder: ClaimHolder) => this.#askAlive(holder);
    const result = await claimMove(claims, moved, wish, { isAlive });
    if (!result.ours) {
      const { run } = result.by;
      return this.#isElsewhere(result.by) ? { by: run, elsewhere: true } : { by: run };
    }
    if (await records.isThere(moved.record)) return null;
    // Another run has moved the record since our discovery. The next run finds the new place.
    await releaseMove(claims, moved);
    return { by: someOtherRun };
  }

  /** Removes records that name missing files. The claim keeps all their ids for the next run. */
  async #withdraw({ previous = [] }: ManifestAsset): Promise<void> {
    const { records, context } = this.#store;
    for (const name of previous) {
      const record = await records.read(name);
      if (record && record.run !== context.run) await records.remove(name);
    }
  }

  /** Asks once for each shard of a run, however many claims the shard has. */
  #askAlive(holder: ClaimHolder): Promise<boolean> {
    const { isAlive, takeOverMs = null } = this.#options;
    if (this.#isElsewhere(holder)) {
      const heldMs = this.#store.now() - Date.parse(holder.at);
      return Promise.resolve(takeOverMs === null || heldMs < takeOverMs);
    }
    const name = `${holder.shard} ${holder.run}`;
    const asked = this.#alive.get(name) ?? isAlive(holder);
    this.#alive.set(name, asked);
    return asked;
  }

  #isElsewhere({ temporal }: ClaimHolder): boolean {
    return temporal !== undefined && temporal !== this.#store.temporal;
  }

  /** The ids stay in the claim: if the attempt fails, the next one finds the claim as its own. */
  async #adopt(
    before: Claim,
    wanted: ManifestAsset,
    now: { recipe: string; record: AssetRecord | null },
  ): Promise<Refs> {
    const { begun: _begun, ...refs } = await this.#refsOf(before, wanted, now);
    return wasOpen(before, wanted.source.version) ? { ...refs, begun: true } : refs;
  }

  /** The ids of an earlier claim that may be reused: all ids if source and recipe are the same. */
  async #refsOf(
    claim: Claim,
    wanted: ManifestAsset,
    { recipe, record }: { recipe: string; record: AssetRecord | null },
  ): Promise<Refs> {
    const refs = claim.refs ?? {};
    const book = this.#store.refs;
    const isOwn = claim.run === this.#store.context.run;
    if (!isBuiltOf(claim.version, wanted.source.version)) {
      // Ids of another file cannot be reused, but a possible duplicate must still be reported.
      const { perhapsTwice = isOwn ? undefined : await this.#untoldOf(claim, wanted) } = refs;
      const stands =
        wanted.moved && record
          ? await standingRefs(this.#store, worksOf(record, book), wanted.source)
          : {};
      return { ...stands, ...withoutUndefined({ perhapsTwice }) };
    }
    // A run that did not know the record has made less than the record already has.
    const isLess = wanted.moved && claim.moved === undefined && record?.recipe === recipe;
    if (isLess) return standingRefs(this.#store, worksOf(record, book), wanted.source);
    if (claim.recipe !== recipe) {
      const works = [{ recipe: claim.recipe, refs }, ...(record ? worksOf(record, book) : [])];
      const stands = await standingRefs(this.#store, works, wanted.source);
      return { ...book.uploadedAs(refs, this.#category), ...stands };
    }
    if (isOwn) return refs;
    const answered = await this.#answered(claim, wanted);
    // A run that died before it created anything has not stored which stages of the record are reusable.
    const isBare = claim.state === 'working' && !refs.stands && Object.keys(answered).length === 0;
    const stands =
      isBare && record ? await standingRefs(this.#store, worksOf(record, book), wanted.source) : {};
    return { ...stands, ...refs, ...answered };
  }

  /** A warning about what a dead run may have paid for twice; a run that finished has reported it itself. */
  async #untoldOf(claim: Claim, { key, source }: ManifestAsset): Promise<string | undefined> {
    if (claim.state !== 'working') return undefined;
    const then = { key, source: { ...source, version: claim.version }, warnings: [] };
    const words = untoldDoubts(then, await this.#callsAt(claim));
    return words.length === 0 ? undefined : words.join('; ');
  }

  /** Reads the calls of a shard once, however many claims the shard has. */
  #callsAt({ run, shard }: Claim): Promise<Intent[]> {
    const name = `${shard} ${run}`;
    const reading = this.#calls.get(name) ?? this.#store.callsAt({ run, shard });
    this.#calls.set(name, reading);
    return reading;
  }

  /** Ids that a dead run received but could not pass on, and ids that other runs received from its calls afterwards. */
  async #answered(claim: Claim, wanted: ManifestAsset): Promise<Refs> {
    const { run, state, at } = claim;
    const calls = await this.#callsAt(claim);
    const own = state === 'working' ? calls.filter((call) => isEndedBy(call, run)) : [];
    const { refs: book } = this.#store;
    return { ...madeFor(wanted, own, book), ...madeFor(wanted, calls, book, Date.parse(at)) };
  }

  /** The record of the same file under another recipe. */
  async #recordOf({ source, moved, previous = [] }: ManifestAsset): Promise<AssetRecord | null> {
    const [name = ''] = moved ? [moved.record] : previous;
    const record = name === '' ? null : await this.#store.records.read(name);
    // Discovery has compared the content of moved sources.
    const isSame = moved || (record && isBuiltOf(record.source.version, source.version));
    return isSame ? record : null;
  }

  /** Another recipe may need another template, project and renders, but the file is already uploaded. */
  #uploadOf(record: AssetRecord, source: AssetSource): Refs {
    const { refs: book } = this.#store;
    const uploaded = book.uploadedAs(record.refs, this.#category);
    // The variant for this colorway already exists.
    const isSame = isSameColorway(record.source, source);
    return isSame ? { ...uploaded, ...book.ofColorway(record.refs) } : uploaded;
  }
}
