// Recognizes cells whose positions were renamed. They look as before, so they cost nothing.
import { groupBy } from '../../../plan/helpers/group-by.ts';
import { mapBounded } from '../../objects/map-bounded.ts';
import { isCell, modelKeyOf } from '../../records/cell-keys.ts';
import { type AssetRecord, isSameVersion, type RecordEntry } from '../../records/records.ts';
import { canReuseWork } from '../../records/source-version.ts';
import type { RunAsset } from '../../runs/run-assets.ts';
import type { Grid } from '../grid/grid.ts';
import { listRemovedEntries, type RemovedEntry } from '../grid/removed-cells.ts';
import type { Match, MovedInput } from './moved-sources.ts';

export interface RenamedCellsInput
  extends Pick<MovedInput, 'index' | 'records' | 'movedRecords' | 'signal'> {
  grid?: Grid | null;
  /** True if the names of positions decide how outputs look, so that a renamed cell is made again. */
  readsCellNames?: boolean;
  /** False for a record of a run with another folder, table or parameters, whose grid may still have the cell. */
  isOfThisGrid: (record: AssetRecord) => Promise<boolean>;
}

/** Matches each new cell with a cell of its model that looks the same and is no longer in the grid. */
export async function matchRenamedCells(
  assets: readonly RunAsset[],
  { grid, index, records, movedRecords, readsCellNames, isOfThisGrid, signal }: RenamedCellsInput,
): Promise<Match[]> {
  const newCells = assets.filter(
    (asset) => isCell(asset) && (asset.reason === 'new' || asset.reason === 'retry'),
  );
  if (!grid || readsCellNames || newCells.length === 0) return [];
  const sourceByModel = new Map(newCells.map((asset) => [modelKeyOf(asset), asset.source]));
  const candidates = [...listRemovedEntries(index, grid)].filter(({ entry, models }) => {
    const sources = models.flatMap((model) => sourceByModel.get(model) ?? []);
    const isSameFile = sources.some(({ version }) => isSameVersion(entry, version));
    return isSameFile && !movedRecords.has(entry.name);
  });
  const lookOf = (asset: Pick<RunAsset, 'key' | 'source'>) =>
    JSON.stringify([
      modelKeyOf(asset),
      asset.source.cell?.positions.map(({ dimension, payload }) => [dimension, payload]),
    ]);
  const readCell = async ({ entry }: RemovedEntry): Promise<RemovedCell[]> => {
    const record = await records.read(entry.name);
    if (!record || !isCell(record) || !(await isOfThisGrid(record))) return [];
    const { version = '' } = sourceByModel.get(modelKeyOf(record)) ?? {};
    return canReuseWork(record.source.version, version) ? [{ entry, record }] : [];
  };
  const removedCells = (await mapBounded(candidates, readCell, { signal })).flat();
  const cellsByLook = groupBy(removedCells, ({ record }) => lookOf(record));
  return newCells.flatMap((asset): Match[] => {
    const cell = cellsByLook.get(lookOf(asset))?.shift();
    if (!cell) return [];
    const { entry, record } = cell;
    const { key, sourceSha256: sha256 } = record;
    const taken = { entry, key, model: modelKeyOf(record) };
    return [{ asset, sha256, record: taken, isSibling: false, isRenamed: true }];
  });
}

interface RemovedCell {
  entry: RecordEntry;
  record: AssetRecord;
}
