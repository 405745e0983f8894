// Finds the work of a run: lists the sources and compares them with the records. Writes nothing itself.

import { assetFailures } from '../../failures/assets.ts';
import { ExpressionError } from '../../language/expressions.ts';
import type { Discovery } from '../../plan/contract/contract.ts';
import { omitUndefined } from '../../plan/helpers/omit-undefined.ts';
import type { AssetSource, Failure, Stages } from '../../plan/types.ts';
import type { ClaimedKeys } from '../claims/claims.ts';
import { mapBounded } from '../objects/map-bounded.ts';
import { encodeKey } from '../objects/object-name.ts';
import { isCell, modelKeyOf } from '../records/cell-keys.ts';
import type { Recipes } from '../records/recipes.ts';
import type { RecordEntry } from '../records/records.ts';
import { hasSameBase } from '../records/source-version.ts';
import type { RunAsset } from '../runs/run-assets.ts';
import type { VerifyResult } from '../runs/verify-pages.ts';
import {
  assignDefaultKeys,
  assignKeysBy,
  sourceFailure,
  type TakenKey,
  type TakenKeys,
} from './asset-keys.ts';
import {
  type AssetSelector,
  type AssetStatus,
  type ClassifiedAsset,
  classifyAsset,
} from './classify.ts';
import { type Freshness, findExpiredAssets } from './expired-assets.ts';
import { createCellExpander } from './grid/create-cell-expander.ts';
import type { Grid } from './grid/grid.ts';
import { withSharedModels } from './grid/grid-models.ts';
import { findRemovedCells } from './grid/removed-cells.ts';
import { type DiscoveryContext, keyHistoryOf } from './known-work.ts';
import { type Grouping, type ListedSource, type Lister, sourceIdOf } from './listed-source.ts';
import { applyMoves, type MovedReport } from './moves/apply-moves.ts';
import type { SourceIdentity } from './moves/moved-sources.ts';
import type { RenamedCellsInput } from './moves/renamed-cells.ts';
import { PlannedPaths, type PlanPaths } from './planned-paths.ts';
import type { RerunSelection } from './rerun-selection.ts';
import { findRestoredAssets } from './restored-assets.ts';
import { findReusableStages } from './reusable-stages.ts';
import { createRowMatcher } from './rows/create-row-matcher.ts';
import type { Rows } from './rows/rows.ts';
import {
  type FindConnector,
  hashSource,
  type TouchedAsset,
  type UnchangedAsset,
} from './verify.ts';

export interface DiscoverAssetsInput
  extends DiscoveryContext,
    Pick<RenamedCellsInput, 'readsCellNames' | 'isOfThisGrid'> {
  lister: Lister;
  node: string;
  /** Computes a source's key. Null for the default. */
  keyOf: ((source: AssetSource) => string) | null;
  recipe: string;
  stages: Stages;
  recipes: Pick<Recipes, 'readKnown'>;
  /** Creates the cells of a model. If absent, models are assets. */
  grid?: Grid | null;
  rows?: Rows | null;
  /** Sources to take. Absent means all listed sources. */
  rerunSelection?: RerunSelection | null;
  selector?: AssetSelector | null;
  planPaths?: PlanPaths;
  /** Set if the listing must not be split, because only all assets together show that no two names are equal. */
  comparesAllNames?: true;
  /** Keys of earlier discovery pages. Absent if everything is listed at once. */
  earlier?: TakenKeys;
  /** True if the listing is partial, so that a source that is not listed may still exist. */
  isPart?: boolean;
  /** Identity of a source. @default 'path' */
  identity?: SourceIdentity;
  /** Names of records that are moved to another key but not deleted yet. */
  movedRecords?: ReadonlySet<string>;
  freshness?: Freshness;
  connectorOf: FindConnector;
  /** Compares the content of unchanged assets. If absent, size, time and ETag are trusted. */
  verify?: Verify;
  /** Called for each touched asset immediately, so that its file is not read again after a crash. */
  onTouched?: (touched: TouchedAsset) => Promise<void>;
}

/** Compares assets that look unchanged. Assets that differ are done again. */
export type Verify = (unchanged: readonly UnchangedAsset[]) => Promise<VerifyResult>;

export interface DiscoveredAssets {
  /** Assets to work on, ordered by path. */
  assets: RunAsset[];
  counts: Omit<Discovery, 'pages' | 'refused' | 'refusals'>;
  refused: Failure[];
  /** Paths of files that are still changing. The next run takes them. */
  later: string[];
  /** Assets whose records are outdated. Updating the records saves reading the files next time. */
  touched: TouchedAsset[];
  /** Status of each source before content is compared, for questions about single keys. Empty for a discovery page. */
  classified: ClassifiedAsset[];
  /** Cells that are refused although their model is not. */
  refusedCells: RefusedCell[];
  /** Keys of all listed assets and models, including refused and unselected ones. */
  takenKeys: TakenKey[];
  /** Sources that may have been delivered under another key. Null if none was read. Always null if `isPart`. */
  moved: MovedReport | null;
  grouping?: Grouping;
  /** Delivered cells that the grid no longer contains, under any name. */
  removed: string[];
  /** Encoded keys that earlier runs have claimed. Absent if unknown. */
  claimed?: ClaimedKeys;
}

export type RefusedCell = Pick<RunAsset, 'key' | 'source'>;

/** Finds the assets to work on. `total` counts all selected assets, including refused and unstable ones. */
export async function discoverAssets(input: DiscoverAssetsInput): Promise<DiscoveredAssets> {
  const { lister, node, rerunSelection, selector, signal } = input;
  const listing = await lister.list(signal);
  const listedFound = rerunSelection
    ? listing.sources.map((source) => rerunSelection.withEarlierKey(source))
    : listing.sources;
  const withRows = createRowMatcher(input.rows?.isForKeys ? input.rows : null, node);
  const sourcesWithRows = withRows.match(listedFound, () => null);
  const byId = new Map(sourcesWithRows.map((source) => [source.unkeyed.id, source]));
  const unkeyed = [...byId.values()].map((source) => source.unkeyed).sort(compareByLabel);
  const keyOf = input.keyOf;
  const sourceWith = (id: string) => sourceOf(byId.get(id));
  const keys = keyOf
    ? assignKeysBy(unkeyed, (id) => keyOf(sourceWith(id)), node, input.earlier)
    : await assignDefaultKeys(unkeyed, keyHistoryOf(input, sourceWith), node, input.earlier);
  const keyed = keys.keyed.flatMap(({ id, key }) => {
    const source = byId.get(id);
    return source ? [{ ...source, key }] : [];
  });
  const rows = createRowMatcher(input.rows ?? null, node);
  const cells = input.grid ? createCellExpander(input.grid, node) : null;
  const allAssets = rows
    .match(keyed, ({ key }) => key)
    .flatMap((asset) => (cells ? rows.match(cells.expand(asset), () => asset.key) : [asset]))
    .map((asset) => ({ ...asset, status: classifyAsset(asset.key, asset.source, input) }));
  const models = keys.keyed.map(({ key }) => key);
  const refusedModels = [...rows.refusals, ...(cells?.refusals ?? [])];
  const refusedSources = [...withRows.refusals, ...refusedModels, ...listing.failures];
  const gridFailures = input.grid?.failuresOf(models, node) ?? [];
  const allRefused = [...refusedSources, ...keys.refused, ...gridFailures];
  const refusals = rerunSelection
    ? rerunSelection.refusals(sourcesWithRows, allRefused, node)
    : allRefused.filter(({ key }) => !selector || selector.isRefusedSelected(key));
  const { grouping } = listing;

  const isCompared = (input.verify ?? input.freshness) !== undefined;
  const holders = new PlannedPaths(input.planPaths);
  // Delivered assets keep their file names.
  for (const asset of allAssets) if (asset.status.record) holders.take(asset);
  const openAssets = new Map<string, OpenAsset[]>();
  const classified: ClassifiedAsset[] = [];
  const refusedCells: RefusedCell[] = [];
  const unchanged: UnchangedAsset[] = [];
  let listedAssets = 0;
  for (const asset of allAssets) {
    const { key, source, status } = asset;
    if (rerunSelection?.hasAsset(asset) === false) continue;
    const choice = selector ? isAssetChosen(selector, asset, node) : true;
    if (typeof choice === 'object') refusals.push(choice);
    if (choice !== true) continue;
    const clash = status.record ? null : holders.take(asset);
    if (clash !== null) {
      refusals.push(pathTakenFailure(asset, clash, node));
      if (isCell(asset)) refusedCells.push({ key, source });
      continue;
    }
    listedAssets += 1;
    // Verdicts are not kept for a paged listing, because its single keys are not explained.
    if (!input.earlier) classified.push({ key, source, status });
    if (status.reason === 'unchanged' && !selector?.force) {
      if (isCompared || input.claimed.has(encodeKey(key)))
        unchanged.push({ key, source, record: status.record });
      continue;
    }
    const { id } = asset.unkeyed;
    openAssets.set(id, [...(openAssets.get(id) ?? []), asset]);
  }
  const sources = [...openAssets.values()].flatMap(([asset]) => asset?.source ?? []);
  const { stable, later } = (await lister.splitStable?.(sources, signal)) ?? {
    stable: sources,
    later: [],
  };
  const stableAssets = stable.flatMap((source) => openAssets.get(sourceIdOf(source)) ?? []);
  const hash = cacheHashes(lister, signal);
  const context = { ...input, hash };
  const decisions = await mapBounded(stableAssets, (asset) => decide(asset, context), { signal });
  const verified = await input.verify?.(unchanged);
  const { assets: changedByContent, refused: unreadable } = verified ?? { assets: [], refused: [] };
  const handledKeys = new Set([...changedByContent, ...unreadable].map(({ key }) => key));
  const sameAssets = unchanged.filter(({ key }) => !handledKeys.has(key));
  const { freshness } = input;
  const expiredAssets = freshness ? await findExpiredAssets(sameAssets, freshness, input) : [];
  const expiredKeys = new Set(expiredAssets.map(({ key }) => key));
  const unexpiredAssets = sameAssets.filter(({ key }) => !expiredKeys.has(key));
  const differing = [
    ...changedByContent,
    ...expiredAssets,
    ...(await findRestoredAssets(unexpiredAssets, input)),
  ];
  const openCount = [...openAssets.values()].reduce((sum, group) => sum + group.length, 0);
  const tallied = splitDecisions([...decisions, ...differing.map((asset) => ({ asset }))]);
  const { touched } = tallied;
  const listed = { ...listing, failures: refusedSources };
  const sourcesNow = { listing: listed, keyed: keys.keyed, all: allAssets, later };
  const { assets, report } = input.isPart
    ? { ...tallied, report: null }
    : await applyMoves(tallied.assets, sourcesNow, context);
  const movedKeys = new Set(assets.flatMap(({ moved }) => moved?.key ?? []));
  const removedCells =
    input.grid && !rerunSelection && !selector ? findRemovedCells(input.index, input.grid) : [];
  return {
    assets: input.grid
      ? await withSharedModels(assets, input.grid, { ...context, touched })
      : assets,
    touched,
    moved: report,
    refused: [...refusals, ...withLabels(unreadable, allAssets)],
    later: later.sort(),
    classified,
    refusedCells,
    takenKeys: [
      ...keys.takenKeys,
      // Cells that are not selected exist, too.
      ...(input.grid ? toTakenKeys(allAssets.map(({ key }) => key)) : []),
      ...listCellKeys(refusedModels, keyed, input),
    ],
    removed: removedCells.filter((key) => !movedKeys.has(key)),
    ...omitUndefined({ grouping }),
    claimed: input.claimed,
    counts: {
      ...countsOf(assets, {
        total: listedAssets + refusals.length,
        unchanged: listedAssets - openCount - differing.length - unreadable.length + touched.length,
      }),
      ...(verified ? { verified: verified.counts } : {}),
    },
  };
}

/** True if the choice includes the asset, or a failure if the condition of `--where` fails, as `int(column)` may. */
function isAssetChosen(selector: AssetSelector, asset: OpenAsset, node: string): boolean | Failure {
  try {
    return selector.isSelected(asset, asset.status.reason);
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    return sourceFailure(error.failure, asset.unkeyed.label, node, error.message);
  }
}

/** Returns failures with source labels instead of asset keys, so that a rerun finds the sources. */
function withLabels(failures: readonly Failure[], assets: readonly OpenAsset[]): Failure[] {
  if (failures.length === 0) return [];
  const labels = new Map(assets.map(({ key, unkeyed }) => [key, unkeyed.label]));
  return failures.map((failure) => ({ ...failure, key: labels.get(failure.key) ?? failure.key }));
}

/** The failure has the label of the source instead of the key, so that a rerun finds the source. */
function pathTakenFailure(
  { key, unkeyed }: OpenAsset,
  { path, owner }: { path: string; owner: string },
  node: string,
): Failure {
  const message = `"${key}" would write the file "${path}", which belongs to "${owner}" or is the same file on some disks; rename one of the assets, or add {{ key }} to \`naming\``;
  return sourceFailure(assetFailures.OUTPUT_PATH_TAKEN, unkeyed.label, node, message);
}

interface OpenAsset extends ListedSource {
  key: string;
  status: AssetStatus;
}

type Decision = { asset: RunAsset } | { touched: TouchedAsset };

async function decide(
  { key, source, platformIds, status }: OpenAsset,
  input: DiscoverAssetsInput & { hash: SourceHash },
): Promise<Decision> {
  const { record, reason } = status;
  if (reason === 'unchanged') return { asset: await forceAsset({ key, source }, status, input) };
  const asset: RunAsset = {
    key,
    source,
    reason: reason === 'touched' ? 'changed' : reason,
    ...(record ? { previous: [record.name, ...record.older] } : {}),
    ...omitUndefined({ platformIds }),
    ...(reason === 'recipe' ? await findReusableStages({ key, source }, record, input) : {}),
  };
  if (status.reason !== 'touched' || !input.lister.hash) return { asset };
  const earlierRecord = await input.records.read(status.record.name);
  const hasSameBaseVersion =
    earlierRecord !== null && hasSameBase(earlierRecord.source.version, source.version);
  // Without a stored hash there is nothing to compare with, so size and time are trusted.
  if (!earlierRecord || (earlierRecord.sourceSha256 === undefined && !hasSameBaseVersion))
    return { asset };
  const sha256 = await input.hash(source);
  if (typeof sha256 !== 'string' || sha256 !== (earlierRecord.sourceSha256 ?? sha256))
    return { asset };
  // Earlier work on these bytes is stored under the earlier version.
  const same = { key, source: { ...source, version: earlierRecord.source.version } };
  if (!status.sameRecipe) {
    const reuse = await findReusableStages({ key, source }, status.record, input);
    return { asset: { ...asset, ...same, reason: 'recipe', sourceSha256: sha256, ...reuse } };
  }
  if (input.selector?.force) return { asset: await forceAsset(same, status, input) };
  const [restored] = await findRestoredAssets([{ ...same, record: status.record }], input);
  if (restored) return { asset: restored };
  const now = { ...earlierRecord, sourceSha256: sha256 };
  const touched = { record: now, source, previous: asset.previous ?? [] };
  await input.onTouched?.(touched);
  return { touched };
}

/** Creates an unchanged asset that is done again. Only its upload is reused. */
async function forceAsset(
  { key, source }: Pick<RunAsset, 'key' | 'source'>,
  { record }: { record: RecordEntry },
  { records, idRules, category = null }: DiscoverAssetsInput,
): Promise<RunAsset> {
  const earlierRecord = await records.read(record.name);
  const { platformIds = {}, earlier } = earlierRecord ?? {};
  return {
    key,
    source,
    reason: 'force',
    previous: [record.name, ...record.older],
    platformIds: idRules.uploadIds(platformIds, category),
    ...omitUndefined({ earlier, sourceSha256: earlierRecord?.sourceSha256 }),
  };
}

function sourceOf(listedSource: ListedSource | undefined): AssetSource {
  if (!listedSource) throw new RangeError('only found items get a key');
  return listedSource.source;
}

function compareText(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

function compareByLabel(a: ListedSource['unkeyed'], b: ListedSource['unkeyed']): number {
  return compareText(a.label, b.label) || compareText(a.id, b.id);
}

type SourceHash = (source: AssetSource) => ReturnType<typeof hashSource>;

/** Hashes each source once, since all cells of a model have the same file. */
function cacheHashes(lister: Lister, signal: AbortSignal | undefined): SourceHash {
  const hashes = new Map<string, ReturnType<typeof hashSource>>();
  return (source) => {
    const hash = hashes.get(sourceIdOf(source)) ?? hashSource(lister, source, signal);
    hashes.set(sourceIdOf(source), hash);
    return hash;
  };
}

/** Lists the keys of the cells of refused models. The cells are not listed, but they are not missing either. */
function listCellKeys(
  refusals: readonly Failure[],
  keyed: readonly (ListedSource & { key: string })[],
  { grid }: Pick<DiscoverAssetsInput, 'grid'>,
): TakenKey[] {
  const labels = new Set(refusals.map(({ key }) => key));
  const models = keyed.filter(({ unkeyed }) => labels.has(unkeyed.label));
  return toTakenKeys(models.flatMap(({ key }) => grid?.keysOf(key) ?? []));
}

function toTakenKeys(keys: readonly string[]): TakenKey[] {
  return keys.map((key) => ({ key, longKey: key }));
}

function splitDecisions(
  decisions: readonly Decision[],
): Pick<DiscoveredAssets, 'assets' | 'touched'> {
  const assets = decisions.flatMap((item) => ('asset' in item ? [item.asset] : []));
  const touched = decisions.flatMap((item) => ('touched' in item ? [item.touched] : []));
  // The cells of a model stay together, in the order of the grid.
  const byPath = (a: RunAsset, b: RunAsset) =>
    compareText(a.source.path, b.source.path) || compareText(modelKeyOf(a), modelKeyOf(b));
  return { assets: assets.sort(byPath), touched };
}

export function countsOf(
  assets: readonly RunAsset[],
  { total, unchanged }: { total: number; unchanged: number },
): DiscoveredAssets['counts'] {
  const newCount = assets.filter(({ reason }) => reason === 'new' || reason === 'retry').length;
  return { total, new: newCount, changed: assets.length - newCount, unchanged };
}
