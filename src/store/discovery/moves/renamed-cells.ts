// Recognizes cells that look as recorded although their grid was edited: a position was renamed, or its payload is
// written differently, as after sorting a table. Such cells cost nothing.
import type { CellSource } from '../../../plan/grid.ts';
import { groupBy } from '../../../plan/helpers/group-by.ts';
import { mapBounded } from '../../objects/map-bounded.ts';
import { assetRecipeOf } from '../../records/asset-recipe.ts';
import { isCell, modelKeyOf } from '../../records/cell-keys.ts';
import { findStages, type Recipes } from '../../records/recipes.ts';
import {
  type AssetRecord,
  isSameRecipe,
  isSameVersion,
  type RecordEntry,
} from '../../records/records.ts';
import { canReuseWork } from '../../records/source-version.ts';
import { plainRecipeOf } from '../../records/withdrawal-state.ts';
import type { RunAsset } from '../../runs/run-assets.ts';
import { type ClassifiedAsset, classifyAsset, type KnownRecords } from '../classify.ts';
import type { Grid } from '../grid/grid.ts';
import { listRemovedEntries, type RemovedEntry } from '../grid/removed-cells.ts';
import type { Match, MovedInput } from './moved-sources.ts';

export interface RenamedCellsInput
  extends Pick<MovedInput, 'index' | 'records' | 'movedRecords' | 'signal'> {
  grid?: Grid | null;
  /** False for a record of a run that listed another folder or table, which may still have the cell. */
  isOfThisLocation: (record: AssetRecord) => Promise<boolean>;
}

/** Matches each new cell with a cell of its model that looks the same and is no longer in the grid. */
export async function matchRenamedCells(
  assets: readonly RunAsset[],
  { grid, index, records, movedRecords, isOfThisLocation, signal }: RenamedCellsInput,
): Promise<Match[]> {
  const newCells = assets.filter(
    (asset) => isCell(asset) && (asset.reason === 'new' || asset.reason === 'retry'),
  );
  if (!grid || newCells.length === 0) return [];
  const sourceByModel = new Map(newCells.map((asset) => [modelKeyOf(asset), asset.source]));
  const candidates = [...listRemovedEntries(index, grid)].filter(({ entry, models }) => {
    const sources = models.flatMap((model) => sourceByModel.get(model) ?? []);
    const isSameFile = sources.some(({ version }) => isSameVersion(entry, version));
    return isSameFile && !movedRecords.has(entry.name);
  });
  const nameOf = ({ key, source }: Pick<RunAsset, 'key' | 'source'>) =>
    `${modelKeyOf({ key, source })}\n${grid.appearanceOf(source)}`;
  const readCell = async ({ entry }: RemovedEntry): Promise<RemovedCell[]> => {
    const record = await records.read(entry.name);
    if (!record || !isCell(record) || !(await isOfThisLocation(record))) return [];
    const { version = '' } = sourceByModel.get(modelKeyOf(record)) ?? {};
    return canReuseWork(record.source.version, version) ? [{ entry, record }] : [];
  };
  const removedCells = (await mapBounded(candidates, readCell, { signal })).flat();
  const cellsByName = groupBy(removedCells, ({ record }) => nameOf(record));
  return newCells.flatMap((asset): Match[] => {
    const cell = cellsByName.get(nameOf(asset))?.shift();
    if (!cell) return [];
    const { entry, record } = cell;
    const { key, sourceSha256: sha256 } = record;
    const source = withPayloadsOf(record.source, asset.source);
    const taken = { entry, key, model: modelKeyOf(record) };
    return [
      { asset: { ...asset, source }, sha256, record: taken, isSibling: false, isRenamed: true },
    ];
  });
}

interface RemovedCell {
  entry: RecordEntry;
  record: AssetRecord;
}

interface PayloadContext extends KnownRecords, Pick<MovedInput, 'records' | 'signal'> {
  recipes: Pick<Recipes, 'readKnown'>;
}

/**
 * Gives cells that look as recorded the recorded payloads, since the recipe depends on how payloads are written. Reads
 * only records whose name shows neither the current recipe nor an earlier one with the same payloads.
 */
export async function withRecordedPayloads<Cell extends ClassifiedAsset>(
  assets: readonly Cell[],
  grid: Grid,
  context: PayloadContext,
): Promise<Cell[]> {
  const { recipe, recipes, records, signal } = context;
  const restore = async (asset: Cell): Promise<Cell> => {
    const { key, source, status } = asset;
    if (!status.record || isSameRecipe(status.record, assetRecipeOf(recipe, source))) return asset;
    const knownRecipes = await recipes.readKnown();
    if (findStages(knownRecipes, plainRecipeOf(status.record), source) !== null) return asset;
    const record = await records.read(status.record.name);
    if (!record || grid.appearanceOf(record.source) !== grid.appearanceOf(source)) return asset;
    const recordedSource = withPayloadsOf(record.source, source);
    return {
      ...asset,
      source: recordedSource,
      status: classifyAsset(key, recordedSource, context),
    };
  };
  return mapBounded(assets, restore, { signal });
}

/** Returns the source with the payloads of a recorded one that looks the same. */
function withPayloadsOf<Source extends CellSource>(recorded: CellSource, source: Source): Source {
  const { cell } = source;
  if (!cell) return source;
  const payloads = recorded.cell?.positions.map(({ payload }) => payload) ?? [];
  const positions = cell.positions.map((position, index) => ({
    ...position,
    payload: payloads[index] ?? position.payload,
  }));
  return { ...source, cell: { ...cell, positions } };
}
