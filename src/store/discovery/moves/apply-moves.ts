// Lets assets continue with the work of the key that their source had before it was moved.
import { foldPath } from '../../../language/naming/naming.ts';
import { omitUndefined } from '../../../plan/helpers/omit-undefined.ts';
import { mapBounded } from '../../objects/map-bounded.ts';
import { NameTable } from '../../objects/name-table.ts';
import { isCell, modelKeyOf } from '../../records/cell-keys.ts';
import type { RunAsset } from '../../runs/run-assets.ts';
import type { AssetSelector, ClassifiedAsset } from '../classify.ts';
import type { ListedSources, Lister } from '../listed-source.ts';
import { type CurrentRecipe, findReusableStages } from '../reusable-stages.ts';
import {
  type KnownRecord,
  type Match,
  type Matches,
  type MovedInput,
  matchMoved,
  noMatches,
  type SourceIdentity,
} from './moved-sources.ts';
import { matchRenamedCells, type RenamedCellsInput } from './renamed-cells.ts';

export interface MovedReport extends Omit<Matches, 'moved'> {
  /** Assets that continue the work of another key. With `identity: path`, the assets that could. */
  moved: { key: string; from: string }[];
  /** False if the assets are treated as new. */
  isTaken: boolean;
}

export interface ClassifiedSources {
  listing: Pick<ListedSources, 'sources' | 'failures'>;
  keyed: readonly { id: string; key: string }[];
  all: readonly ClassifiedAsset[];
  later: readonly string[];
}

export interface AppliedMoves {
  assets: RunAsset[];
  report: MovedReport | null;
}

interface MoveInput
  extends Pick<MovedInput, 'index' | 'hash' | 'signal'>,
    Pick<RenamedCellsInput, 'grid' | 'readsCellNames' | 'isOfThisGrid'>,
    CurrentRecipe {
  /** @default 'path' */
  identity?: SourceIdentity | undefined;
  lister: Pick<Lister, 'hash' | 'exists'>;
  selector?: AssetSelector | null;
  movedRecords?: ReadonlySet<string>;
}

/** @param assets all assets that the run would work on */
export async function applyMoves(
  assets: readonly RunAsset[],
  listing: ClassifiedSources,
  input: MoveInput,
): Promise<AppliedMoves> {
  const { identity = 'path', signal } = input;
  const { movedRecords = new Set<string>() } = input;
  const renamedCells = await matchRenamedCells(assets, listing.all, { ...input, movedRecords });
  const { matches: renamed, reserved } = renamedCells;
  const renamedKeys = new Set(renamed.map(({ asset }) => asset.key));
  const otherAssets = assets.filter(({ key }) => !renamedKeys.has(key));
  const found = await findMovedSources(otherAssets, listing, { ...input, movedRecords });
  // A hint is more important than a list of renamed cells, which cost nothing.
  const isTaken = identity === 'content' || found.read.files === 0;
  const moved = identity === 'content' ? [...renamed, ...found.moved] : renamed;
  const directMatches = (isTaken ? moved : found.moved).filter(({ isSibling }) => !isSibling);
  const report = {
    ...found,
    moved: directMatches.map(({ asset, record }) => ({ key: asset.key, from: record.key })),
    isTaken,
  };
  const listedKeys = new Set(listing.keyed.map(({ key }) => key));
  const create = (match: Match) => createMovedAsset(match, listedKeys, input);
  const now = await mapBounded(moved, create, { signal });
  const byKey = new Map(now.map((asset) => [asset.key, asset]));
  const takenRecords = new Set([...reserved, ...now.flatMap(({ moved }) => moved?.record ?? [])]);
  return {
    assets: assets.map((asset) => removeTakenRecords(byKey.get(asset.key) ?? asset, takenRecords)),
    report: report.read.files === 0 && renamed.length === 0 ? null : report,
  };
}

async function findMovedSources(
  assets: readonly RunAsset[],
  listing: ClassifiedSources,
  input: MoveInput & Required<Pick<MoveInput, 'movedRecords'>>,
): Promise<Matches> {
  const { identity = 'path', lister } = input;
  if (!lister.hash) return noMatches;
  const models = findModels(listing, assets);
  const others = assets.filter(({ reason, ...asset }) => {
    const isOther = reason === 'new' || reason === 'retry' || reason === 'changed';
    // A new cell of a known model was not moved, because its file is that of the other cells.
    return isOther && !models.has(modelKeyOf(asset));
  });
  const deliveredNames = computeOnce(() => findDelivered(listing, others));
  const existenceCheck = computeOnce(() => createExistenceCheck(listing, deliveredNames(), input));
  const isHeld = (name: string) => deliveredNames().records.has(name);
  const exists = (record: KnownRecord) => existenceCheck()(record);
  return matchMoved(others, identity, { ...input, isHeld, exists });
}

/** Finds the keys of models with a cell that is delivered from the current file. */
function findModels({ all }: ClassifiedSources, assets: readonly RunAsset[]): Set<string> {
  const changedAssets = assets.filter(({ reason }) => reason === 'changed');
  const changedKeys = new Set(changedAssets.map(({ key }) => key));
  const isKnown = ({ key, status }: ClassifiedAsset) =>
    status.record !== null && status.reason !== 'changed' && !changedKeys.has(key);
  return new Set(all.filter((asset) => isCell(asset) && isKnown(asset)).map(modelKeyOf));
}

/** @param listedKeys keys of all models */
async function createMovedAsset(
  { asset: listedAsset, sha256, record, isSibling, isRenamed = false }: Match,
  listedKeys: ReadonlySet<string>,
  input: MoveInput,
): Promise<RunAsset> {
  const { records, idRules, category = null, selector } = input;
  const { key, entry, model } = record;
  const { reusableStages: _ownStages, models: _ownModels, ...asset } = listedAsset;
  const isForced = selector?.force === true;
  const { platformIds = {}, earlier } =
    isSibling || isForced ? ((await records.read(entry.name)) ?? {}) : {};
  const uploadIds = idRules.uploadIds(platformIds, category);
  if (isSibling) {
    const sharedIds = { ...uploadIds, ...idRules.ofModel(platformIds) };
    return { ...asset, platformIds: sharedIds, ...omitUndefined({ sourceSha256: sha256 }) };
  }
  const moved = { key, record: entry.name, isKeyUnused: isRenamed || !listedKeys.has(model) };
  const movedAsset = { ...asset, ...omitUndefined({ sourceSha256: sha256 }), moved };
  if (isForced) {
    const earlierWork = omitUndefined({ earlier });
    return { ...movedAsset, reason: 'force', platformIds: uploadIds, ...earlierWork };
  }
  const reuse = await findReusableStages(asset, entry, input);
  return { ...movedAsset, reason: 'recipe', ...reuse };
}

/** Removes from `previous` the records that another asset takes over, since the run deletes what `previous` lists. */
function removeTakenRecords(asset: RunAsset, takenRecords: ReadonlySet<string>): RunAsset {
  const { previous = [], ...rest } = asset;
  if (!previous.some((name) => takenRecords.has(name))) return asset;
  const remainingRecords = previous.filter((name) => !takenRecords.has(name));
  if (remainingRecords.length > 0) return { ...rest, previous: remainingRecords };
  const { reusableStages: _stages, models: _models, ...untouched } = rest;
  const isNew = asset.reason === 'changed' || (asset.reason === 'recipe' && !asset.moved);
  return isNew ? { ...untouched, reason: 'new' } : rest;
}

/** Computes a value on first use: if no size matches a record, nothing is computed. */
function computeOnce<T>(make: () => T): () => T {
  let computed: { value: T } | null = null;
  return () => {
    computed ??= { value: make() };
    return computed.value;
  };
}

/** Finds the names of records and paths of sources, for assets whose source is as delivered or is still changing. */
function findDelivered({ all, later }: ClassifiedSources, others: readonly RunAsset[]) {
  const changedKeys = new Set(others.map(({ key }) => key));
  const moving = new Set(later);
  const records = new NameTable();
  const paths = new NameTable();
  for (const { key, source, status } of all) {
    const { record, reason } = status;
    const isOther = record === null || reason === 'changed' || changedKeys.has(key);
    if (isOther && !moving.has(source.path)) continue;
    if (record) records.add(record.name);
    paths.add(source.path);
  }
  return { records, paths };
}

/** Creates the check whether the source of a record still exists at its path. */
function createExistenceCheck(
  { listing, keyed }: ClassifiedSources,
  deliveredNames: { paths: Pick<NameTable, 'has'> },
  { lister, signal }: MoveInput,
) {
  const keys = new Map(keyed.map(({ id, key }) => [id, key]));
  const foundIds = new Set(listing.sources.map(({ unkeyed }) => unkeyed.id));
  const folded = new Set([...foundIds].map(foldPath));
  const refusedLabels = listing.failures.map(({ key }) => key);
  return async ({ path, model }: KnownRecord): Promise<boolean> => {
    if (refusedLabels.some((label) => path === label || path.startsWith(`${label}/`))) return true;
    if (foundIds.has(path)) {
      const key = keys.get(path);
      // A listed path counts as the record's source if it has no key, or if it now has another key and its source is as
      // delivered or is still changing. With the same key, the content has changed, or that key has a newer record.
      return key === undefined || (key !== model && deliveredNames.paths.has(path));
    }
    // On a file system that ignores case, a file renamed only in case still exists under its old name.
    if (folded.has(foldPath(path))) return false;
    return (await lister.exists?.(path, signal)) ?? false;
  };
}
