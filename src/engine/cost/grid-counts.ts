// Estimates how many calls the steps send for the cells of a grid. Pure.
import { positionNamesOf } from '../../plan/grid.ts';
import { groupBy } from '../../plan/helpers/group-by.ts';
import type { Plan, Step } from '../../plan/types.ts';
import { modelKeyOf } from '../../store/records/cell-keys.ts';
import type { FoundAsset, FoundWork } from './found-work.ts';

/** Counts of grid cells. Cells of the same model with the same positions along the first dimensions count as one. */
interface GridCounts {
  models: number;
  /** Number of distinct cells along the first dimensions. */
  cellsAlong: (dimensions: number) => number;
  /** For each shard and each combination of positions along the first dimensions: the number of models that have it. */
  modelsPerCombination: (dimensions: number) => number[];
}

/**
 * Counts the cells of the plan's grid. Returns null if the plan has no grid.
 * @param takenAssets assets that the steps process
 */
export function computeGridCounts(
  { shardSize, steps }: Plan,
  { assets }: FoundWork,
  takenAssets: ReadonlySet<FoundAsset>,
): GridCounts | null {
  if (steps.every(({ cells }) => cells === undefined)) return null;
  const models = groupBy(assets, modelOf);
  const assetsByShard: FoundAsset[][] = [];
  let room = 0;
  for (const cells of models.values()) {
    if (cells.length > room) {
      assetsByShard.push([]);
      room = Math.max(shardSize, cells.length);
    }
    room -= cells.length;
    assetsByShard.at(-1)?.push(...cells);
  }
  const shards = assetsByShard.map((shard) => shard.filter((asset) => takenAssets.has(asset)));
  const kindOf = ({ source }: FoundAsset, dimensions: number) =>
    positionNamesOf(source).slice(0, dimensions).join('\n');
  const cellOf = (asset: FoundAsset, dimensions: number) =>
    `${modelOf(asset)}\n${kindOf(asset, dimensions)}`;
  const differing = (dimensions: number) =>
    shards.map((shard) => [...groupBy(shard, (asset) => cellOf(asset, dimensions)).values()]);
  const isTaken = (cells: FoundAsset[]) => cells.some((cell) => takenAssets.has(cell));
  return {
    models: [...models.values()].filter(isTaken).length,
    cellsAlong: (dimensions) => differing(dimensions).flat().length,
    modelsPerCombination: (dimensions) =>
      differing(dimensions).flatMap((cells) => {
        const kinds = groupBy(cells, ([first]) => (first ? kindOf(first, dimensions) : ''));
        return [...kinds.values()].map(({ length }) => length);
      }),
  };
}

function modelOf({ source }: FoundAsset): string {
  return modelKeyOf({ key: source.path, source });
}

/**
 * Returns the sizes of the groups of assets that the estimate splits into batches.
 * @param byBatch one group per shard and combination of positions
 */
export function computeGroupSizes(
  { cells }: Step,
  assetCount: number,
  grid: GridCounts | null,
  byBatch = false,
): number[] {
  if (grid === null || cells === undefined) return [assetCount];
  if (cells.calls === 0) return [grid.models];
  return byBatch ? grid.modelsPerCombination(cells.calls) : [grid.cellsAlong(cells.work)];
}
