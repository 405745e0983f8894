// Finds the work of a run: lists the sources, compares them with the records, writes nothing.

import { assetFailures } from '../../failures/assets.ts';
import type { Discovery } from '../../plan/contract.ts';
import type { AssetSource, Failure, Stages } from '../../plan/types.ts';
import { withoutUndefined } from '../../plan/without-undefined.ts';
import type { ClaimedKeys } from '../claims/claims.ts';
import { mapBounded } from '../objects/bounded.ts';
import { encodeKey } from '../objects/object-name.ts';
import { modelKeyOf } from '../records/asset-names.ts';
import type { Recipes } from '../records/recipes.ts';
import type { RecordEntry, RecordIndex, Records } from '../records/records.ts';
import type { RefBook } from '../records/ref-book.ts';
import { looksSame } from '../records/source-version.ts';
import type { ManifestAsset } from '../runs/manifest.ts';
import type { Again } from './again.ts';
import { agedAssets, type Freshness } from './aging.ts';
import {
  assignDefaultKeys,
  assignKeysBy,
  type KeyHistory,
  refusal,
  type TakenKey,
  type TakenKeys,
} from './asset-keys.ts';
import type { Choice } from './choice.ts';
import { type Standing, standingOf } from './classify.ts';
import type { Grid } from './grid.ts';
import { withModels } from './grid-models.ts';
import { type Grouping, identityOf, type ListedSource, type Lister } from './lister.ts';
import type { SourceIdentity } from './moved-sources.ts';
import { PathHolders, type PathsAhead } from './path-holders.ts';
import { removedCells } from './removed-cells.ts';
import { standsOf } from './stands-of.ts';
import { type MovedReport, takeMoved } from './take-moved.ts';
import { hashOfSource, type TouchedAsset, type Unchanged } from './verify.ts';
import { type Verified } from './verify-pages.ts';

export interface DiscoverAssetsInput {
  lister: Lister;
  /** Node that refusals are reported under. */
  node: string;
  /** Makes a source's key; null for the default. */
  keyOf: ((source: AssetSource) => string) | null;
  recipe: string;
  /** Stages of the recipe, and of those before; absent: an asset of another recipe begins at its file. */
  stages?: Stages | undefined;
  recipes?: Pick<Recipes, 'known'>;
  index: RecordIndex;
  claimed: ClaimedKeys;
  records: Pick<Records, 'read'>;
  refs: RefBook;
  /** Makes assets of each model, one for each of its colorways and views; absent: models are assets. */
  grid?: Grid | null;
  /** Category that the pipeline gives its models. */
  category?: string | null;
  /** Takes nothing else; absent: all that is listed. */
  again?: Again | null;
  /** What a person chose of it for this run; absent: all. */
  choice?: Choice | null;
  /** Absent where nothing is delivered: no asset takes the name of another's file. */
  pathsAhead?: PathsAhead;
  /** Absent where all that there is is listed at once. */
  earlier?: TakenKeys;
  /** A part of what there is: what is not in it may still be there. */
  isPart?: boolean;
  /** What makes two sources the same. @default 'path' */
  identity?: SourceIdentity;
  /** Names of records that have been moved to another key, and have not been ended. */
  ended?: ReadonlySet<string>;
  /** How old what was made may be; absent: of any age. */
  freshness?: Freshness;
  /** Compares what is unchanged with its content; absent: sizes, times and ETags are believed. */
  verify?: Verify;
  /** Told of each touched asset at once, so that who looks again after a crash need not read it again. */
  learn?: (touched: TouchedAsset) => Promise<void>;
  signal?: AbortSignal;
}

/** Compares assets that look unchanged; what differs is to be done again. */
export type Verify = (unchanged: readonly Unchanged[]) => Promise<Verified>;

export interface Discovered {
  /** Assets to work on, in the order of paths. */
  assets: ManifestAsset[];
  counts: Omit<Discovery, 'pages' | 'refused' | 'refusals'>;
  refused: Failure[];
  /** Paths that still change; the next run takes them. */
  later: string[];
  /** Whose records are behind: with them up to date the next discovery need not read the files again. */
  touched: TouchedAsset[];
  /** How each source stands to the records, before its content is looked at; for who asks about one. None of a stretch. */
  standings: Stands[];
  /** Keys that nothing else may have any more. */
  taken: TakenKey[];
  /** Sources that were delivered under another key; null where there are none. None of a stretch. */
  moved: MovedReport | null;
  /** How the lister grouped files, where it does. */
  grouping?: Grouping;
  /** Cells that were delivered and of which the grid knows nothing any more. */
  removed: string[];
}

/** A source under its key. */
interface Stands {
  key: string;
  source: AssetSource;
  standing: Standing;
}

function unchangedOf({ key, source, standing }: Stands): Unchanged[] {
  return standing.reason === 'unchanged' ? [{ key, source, record: standing.record }] : [];
}

/** Finds what is new and changed. `total` counts all that the lister takes, also refused and later ones. */
export async function discoverAssets(input: DiscoverAssetsInput): Promise<Discovered> {
  const { lister, node, again, choice, signal } = input;
  const listed = await lister.list(signal);
  const found = again ? listed.found.map((one) => again.asBefore(one)) : listed.found;
  const byId = new Map(found.map((one) => [one.unnamed.id, one]));
  const unnamed = [...byId.values()].map((one) => one.unnamed).sort(byLabel);
  const keyOf = input.keyOf;
  const keys = keyOf
    ? assignKeysBy(unnamed, (id) => keyOf(sourceOf(byId.get(id))), node, input.earlier)
    : await assignDefaultKeys(unnamed, historyOf(input), node, input.earlier);
  const models = keys.keyed.map(({ key }) => key);
  const allRefused = [
    ...listed.refused,
    ...keys.refused,
    ...(input.grid?.refused(models, node) ?? []),
  ];
  const chosenRefused = choice
    ? allRefused.filter(({ key }) => choice.takesRefused(key))
    : allRefused;
  const refused = again ? again.refusals(found, allRefused, node) : [...chosenRefused];
  const { grouping } = listed;

  const all = keys.keyed.flatMap(({ id, key }) => {
    const one = byId.get(id);
    if (!one) return [];
    const cells = input.grid?.cellsOf(key, one.source) ?? [{ key, source: one.source }];
    return cells.map((cell) => ({
      ...one,
      ...cell,
      standing: standingOf(cell.key, cell.source, input),
    }));
  });
  // Those that are forced are done again in any case.
  const isCompared = (input.verify ?? input.freshness) !== undefined && !choice?.force;
  const holders = new PathHolders(input.pathsAhead);
  // What earlier runs have delivered keeps its names.
  for (const one of all) if (one.standing.record) holders.take(one);
  const open = new Map<string, Open[]>();
  const standings: Stands[] = [];
  const unchanged: Unchanged[] = [];
  let listedAssets = 0;
  for (const one of all) {
    const { key, source, standing } = one;
    if (again?.takes(one) === false || again?.takesKey(key) === false) continue;
    if (choice?.takes(one, standing.reason) === false) continue;
    const clash = standing.record ? null : holders.take(one);
    if (clash !== null) {
      refused.push(pathTaken(one, clash, node));
      continue;
    }
    listedAssets += 1;
    // Nobody asks about single ones of a listing that goes on.
    if (!input.earlier) standings.push({ key, source, standing });
    if (isCompared) unchanged.push(...unchangedOf({ key, source, standing }));
    if (standing.reason === 'unchanged' && !choice?.force) continue;
    const { id } = one.unnamed;
    open.set(id, [...(open.get(id) ?? []), one]);
  }
  const sources = [...open.values()].flatMap(([one]) => one?.source ?? []);
  const { stable, later } = (await lister.settle?.(sources, signal)) ?? {
    stable: sources,
    later: [],
  };
  const steady = stable.flatMap((source) => open.get(identityOf(source)) ?? []);
  const hash = onceEachSource(lister, signal);
  const stands = await mapBounded(steady, (one) => decide(one, { ...input, hash }), { signal });
  const verified = await input.verify?.(unchanged);
  const { assets: unlike, refused: unreadable } = verified ?? { assets: [], refused: [] };
  const known = new Set([...unlike, ...unreadable].map(({ key }) => key));
  const same = unchanged.filter(({ key }) => !known.has(key));
  const aged = input.freshness ? await agedAssets(same, input.freshness, input) : [];
  const differing = [...unlike, ...aged];
  const opened = [...open.values()].reduce((sum, some) => sum + some.length, 0);
  const decided = [...stands, ...differing.map((asset) => ({ asset }))];
  const tallied = tally(decided);
  const { keyed } = keys;
  const { touched } = tallied;
  const { assets, report } = input.isPart
    ? { ...tallied, report: null }
    : await takeMoved(tallied.assets, { listed, keyed, all, later }, { ...input, hash });
  return {
    assets: input.grid ? await withModels(assets, input.grid, input) : assets,
    touched,
    moved: report,
    refused: [...refused, ...unreadable],
    later: later.sort(),
    standings,
    taken: keys.taken,
    removed: input.grid && !again && !choice ? removedCells(input.index, input.grid) : [],
    ...withoutUndefined({ grouping }),
    counts: {
      ...countsOf(assets, touched.length, {
        total: listedAssets + refused.length,
        unchanged: listedAssets - opened - differing.length - unreadable.length,
      }),
      ...(verified ? { verified: verified.counts } : {}),
    },
  };
}

/** It stands under its source, as a source that is refused does, so that a rerun finds it. */
function pathTaken(
  { key, unnamed }: Open,
  { path, holder }: { path: string; holder: string },
  node: string,
): Failure {
  const message = `"${key}" would have the file "${path}", which is that of "${holder}" or cannot be told from it on every disk; rename one of them`;
  return refusal(assetFailures.OUTPUT_PATH_TAKEN, unnamed.label, node, message);
}

interface Open extends ListedSource {
  key: string;
  standing: Standing;
}

type Decided = { asset: ManifestAsset } | { touched: TouchedAsset };

async function decide(
  { key, source, refs, standing }: Open,
  input: DiscoverAssetsInput & { hash: SourceHash },
): Promise<Decided> {
  const { record, reason } = standing;
  if (reason === 'unchanged') return { asset: await forced({ key, source }, standing, input) };
  const asset: ManifestAsset = {
    key,
    source,
    reason: reason === 'touched' ? 'changed' : reason,
    ...(record ? { previous: [record.name, ...record.older] } : {}),
    ...withoutUndefined({ refs }),
    ...(reason === 'recipe' ? await standsOf(source, record, input) : {}),
  };
  if (standing.reason !== 'touched' || !input.lister.hash) return { asset };
  const before = await input.records.read(standing.record.name);
  const sameLooks = before !== null && looksSame(before.source.version, source.version);
  // Without a hash on record there is nothing to compare with; then size and time are believed.
  if (!before || (before.sourceSha256 === undefined && !sameLooks)) return { asset };
  const sha256 = await input.hash(source);
  if (typeof sha256 !== 'string' || sha256 !== (before.sourceSha256 ?? sha256)) return { asset };
  if (!standing.sameRecipe) {
    // Work on these bytes is found by the version that they had.
    const { version } = before.source;
    const sourceSha256 = sha256;
    const stands = await standsOf(source, standing.record, input);
    const reason = 'recipe';
    return { asset: { ...asset, reason, source: { ...source, version }, sourceSha256, ...stands } };
  }
  if (input.choice?.force) {
    const { version } = before.source;
    return { asset: await forced({ key, source: { ...source, version } }, standing, input) };
  }
  const now = { ...before, sourceSha256: sha256 };
  const touched = { record: now, source, previous: asset.previous ?? [] };
  await input.learn?.(touched);
  return { touched };
}

/** An unchanged asset that is done again: of what was made of it only the upload is used. */
async function forced(
  { key, source }: Pick<ManifestAsset, 'key' | 'source'>,
  { record }: { record: RecordEntry },
  { records, refs: book, category = null }: DiscoverAssetsInput,
): Promise<ManifestAsset> {
  const before = await records.read(record.name);
  const { refs = {}, earlier } = before ?? {};
  return {
    key,
    source,
    reason: 'force',
    previous: [record.name, ...record.older],
    refs: book.uploadedAs(refs, category),
    ...withoutUndefined({ earlier, sourceSha256: before?.sourceSha256 }),
  };
}

function sourceOf(found: ListedSource | undefined): AssetSource {
  if (!found) throw new RangeError('only what was found is given a key');
  return found.source;
}

function inOrder(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

function byLabel(a: ListedSource['unnamed'], b: ListedSource['unnamed']): number {
  return inOrder(a.label, b.label) || inOrder(a.id, b.id);
}

type SourceHash = (source: AssetSource) => ReturnType<typeof hashOfSource>;

/** All colorways of a model have one file. */
function onceEachSource(lister: Lister, signal: AbortSignal | undefined): SourceHash {
  const hashes = new Map<string, ReturnType<typeof hashOfSource>>();
  return (source) => {
    const known = hashes.get(identityOf(source)) ?? hashOfSource(lister, source, signal);
    hashes.set(identityOf(source), known);
    return known;
  };
}

function historyOf({ index, claimed, records, grid }: DiscoverAssetsInput): KeyHistory {
  const keysOf = (key: string) => grid?.keysOf(key) ?? [key];
  const isThere = (key: string) => index.get(key) !== null || claimed.has(encodeKey(key));
  return {
    isKnown: (key) => keysOf(key).some(isThere),
    async idOf(key) {
      const [entry] = keysOf(key).flatMap((one) => index.get(one) ?? []);
      const record = entry ? await records.read(entry.name) : null;
      return record ? identityOf(record.source) : null;
    },
  };
}

function tally(decided: readonly Decided[]): Pick<Discovered, 'assets' | 'touched'> {
  const assets = decided.flatMap((item) => ('asset' in item ? [item.asset] : []));
  const touched = decided.flatMap((item) => ('touched' in item ? [item.touched] : []));
  // Cells of one model stay side by side, in the order of the grid.
  const byPath = (a: ManifestAsset, b: ManifestAsset) =>
    inOrder(a.source.path, b.source.path) || inOrder(modelKeyOf(a), modelKeyOf(b));
  return { assets: assets.sort(byPath), touched };
}

function countsOf(
  assets: readonly ManifestAsset[],
  touched: number,
  { total, unchanged }: { total: number; unchanged: number },
): Discovered['counts'] {
  const fresh = assets.filter(({ reason }) => reason === 'new' || reason === 'retry').length;
  const changed = assets.length - fresh;
  return { total, new: fresh, changed, unchanged: unchanged + touched };
}
