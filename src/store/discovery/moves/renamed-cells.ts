// Recognizes cells that look like another cell was delivered, because positions were renamed or swapped. They cost nothing.
import { groupBy } from '../../../plan/helpers/group-by.ts';
import { mapBounded } from '../../objects/map-bounded.ts';
import { parseRecordName } from '../../objects/object-name.ts';
import { isCell, modelKeyOf } from '../../records/cell-keys.ts';
import { findStages, type Recipes } from '../../records/recipes.ts';
import type { AssetRecord, RecordEntry } from '../../records/records.ts';
import { plainRecipeOf } from '../../records/withdrawal-state.ts';
import type { RunAsset } from '../../runs/run-assets.ts';
import type { ClassifiedAsset } from '../classify.ts';
import type { Grid } from '../grid/grid.ts';
import { listRemovedEntries } from '../grid/removed-cells.ts';
import { isSameFile, mayBeSameFile } from '../grid/same-file.ts';
import type { Match, MovedInput } from './moved-sources.ts';

export interface RenamedCellsInput
  extends Pick<MovedInput, 'index' | 'records' | 'hash' | 'movedRecords' | 'signal'> {
  recipes: Pick<Recipes, 'readKnown'>;
  grid?: Grid | null;
  /** True if the names of positions decide how outputs look, so that a renamed cell is made again. */
  readsCellNames?: boolean;
  /** False for a record of a run with another folder, table or parameters, whose grid may still have the cell. */
  isOfThisGrid: (record: AssetRecord) => Promise<boolean>;
}

interface RenamedCells {
  matches: Match[];
  /** Names of records that match cells which this run does not take. A later run needs them. */
  reserved: string[];
}

type Keyed = Pick<RunAsset, 'key' | 'source'>;

interface OpenCell extends Keyed {
  /** The asset of the run. Absent if the run leaves the cell out. */
  asset?: RunAsset;
  /** The newest record of the cell, which looks different or may do so. */
  entry?: RecordEntry;
}

interface Candidate {
  entry: RecordEntry;
  record: AssetRecord;
}

/**
 * Matches each cell that is new or looks different with a record of its model that looks the same and that its own key
 * no longer needs, because the grid lacks the key or because the key looks different now.
 * @param all all cells of the grid
 */
export async function matchRenamedCells(
  assets: readonly RunAsset[],
  all: readonly ClassifiedAsset[],
  input: RenamedCellsInput,
): Promise<RenamedCells> {
  const { grid, index, records, movedRecords, readsCellNames, isOfThisGrid, hash, signal } = input;
  const cells = readsCellNames ? [] : await findOpenCells(assets, all, input);
  if (!grid || cells.length === 0) return { matches: [], reserved: [] };
  const sourceByModel = new Map(cells.map((cell) => [modelKeyOf(cell), cell.source]));
  const removedEntries = [...listRemovedEntries(index, grid)];
  const entries = [
    ...removedEntries.map(({ entry, models }) => ({ entry, models })),
    ...cells.flatMap(({ entry, ...cell }) => (entry ? { entry, models: [modelKeyOf(cell)] } : [])),
    ...all.flatMap((cell) =>
      olderEntriesOf(cell).map((entry) => ({ entry, models: [modelKeyOf(cell)] })),
    ),
  ].flatMap(({ entry, models }) => {
    const sources = models.flatMap((model) => sourceByModel.get(model) ?? []);
    const mayBeSame = sources.some((source) => mayBeSameFile(entry, source));
    return mayBeSame && !movedRecords.has(entry.name) ? [entry] : [];
  });
  const read = async (entry: RecordEntry): Promise<Candidate[]> => {
    const record = await records.read(entry.name);
    if (!record || !isCell(record) || !(await isOfThisGrid(record))) return [];
    const source = sourceByModel.get(modelKeyOf(record));
    return source && (await isSameFile(record, source, hash)) ? [{ entry, record }] : [];
  };
  const readEntries = (await mapBounded(entries, read, { signal })).flat();
  const lookByKey = new Map<string, string>();
  const recordedKeys = new Set(readEntries.map(({ record }) => record.key));
  for (const cell of all) if (recordedKeys.has(cell.key)) lookByKey.set(cell.key, lookOf(cell));
  const isNeeded = ({ record }: Candidate) => lookByKey.get(record.key) === lookOf(record);
  const needed = new Set(readEntries.filter(isNeeded).map(({ entry }) => entry.name));
  const byLook = groupBy(
    readEntries.filter(({ entry }) => !needed.has(entry.name)),
    ({ record }) => lookOf(record),
  );
  const removedNames = new Set(removedEntries.map(({ entry }) => entry.name));
  const matches: Match[] = [];
  const reserved: string[] = [];
  const differingCells = cells.filter(({ entry }) => !entry || !needed.has(entry.name));
  for (const cell of differingCells.toSorted(compareTaken)) {
    const candidate = byLook.get(lookOf(cell))?.shift();
    if (!candidate) continue;
    const { entry, record } = candidate;
    const { key, sourceSha256: sha256 } = record;
    const taken = { entry, key, model: modelKeyOf(record) };
    const isRenamed = removedNames.has(entry.name);
    if (cell.asset)
      matches.push({ asset: cell.asset, sha256, record: taken, isSibling: false, isRenamed });
    else reserved.push(entry.name);
  }
  return { matches, reserved };
}

/** Finds the cells that have no record, or whose record looks different or is of an unknown recipe. */
async function findOpenCells(
  assets: readonly RunAsset[],
  all: readonly ClassifiedAsset[],
  { recipes }: Pick<RenamedCellsInput, 'recipes'>,
): Promise<OpenCell[]> {
  const assetsByKey = new Map(assets.map((asset) => [asset.key, asset]));
  const reasons: readonly string[] = ['new', 'retry', 'recipe'];
  const isOpen = ({ key, status }: ClassifiedAsset) =>
    reasons.includes((assetsByKey.get(key) ?? status).reason);
  const openCells = all.filter((cell) => isCell(cell) && isOpen(cell));
  if (openCells.length === 0) return [];
  const knownRecipes = await recipes.readKnown();
  return openCells.flatMap(({ key, source: listed, status: { record } }): OpenCell[] => {
    const asset = assetsByKey.get(key);
    const source = asset?.source ?? listed;
    const own = { key, source, ...(asset && { asset }) };
    if (!record) return [own];
    const looksSame = findStages(knownRecipes, plainRecipeOf(record), source) !== null;
    return looksSame ? [] : [{ ...own, entry: record }];
  });
}

/** Returns the records that a crash, or a run of selected cells, has left under the key of a cell. */
function olderEntriesOf({ status: { record } }: ClassifiedAsset): RecordEntry[] {
  return (record?.older ?? []).flatMap((name) => {
    const nameParts = parseRecordName(name);
    return nameParts ? [{ ...nameParts, name, older: [] }] : [];
  });
}

/** Returns the model of a cell and all that decides how the cell looks, as text to compare. */
function lookOf(cell: Keyed): string {
  const positions = cell.source.cell?.positions.map(({ dimension, payload }) => [
    dimension,
    payload,
  ]);
  return JSON.stringify([modelKeyOf(cell), positions]);
}

/** Cells that the run takes come first. */
function compareTaken(a: OpenCell, b: OpenCell): number {
  return Number(b.asset !== undefined) - Number(a.asset !== undefined);
}
