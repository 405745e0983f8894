// How many calls the steps make for the cells of a colorway grid. Pure.
import { groupBy } from '../../plan/helpers/group-by.ts';
import type { Plan, Step } from '../../plan/types.ts';
import { modelKeyOf, viewedKeyOf } from '../../store/records/cell-keys.ts';
import type { FoundAsset, FoundWork } from './found-work.ts';

/** Counts of grid cells, grouped as calls share them. */
export interface Cells {
  models: number;
  /** Models in their colorways, each with all of its views. */
  viewed: number;
  /** For each shard, how many models it has in each colorway. */
  byColorway: number[];
  /** For each shard, how many assets it has in each view of each colorway. */
  byView: number[];
}

/**
 * Counts the cells of the plan's grid; null if the plan has no grid.
 * @param taken the assets that the steps process
 */
export function cellsOf(
  { shardSize, steps }: Plan,
  { assets }: FoundWork,
  taken: ReadonlySet<FoundAsset>,
): Cells | null {
  if (steps.every(({ cells }) => cells === undefined)) return null;
  const models = groupBy(assets, ({ source }) => modelKeyOf({ key: source.path, source }));
  const all: FoundAsset[][] = [];
  let room = 0;
  for (const cells of models.values()) {
    if (cells.length > room) {
      all.push([]);
      room = Math.max(shardSize, cells.length);
    }
    room -= cells.length;
    all.at(-1)?.push(...cells);
  }
  const shards = all.map((shard) => shard.filter((asset) => taken.has(asset)));
  const viewed = shards.map((shard) => [
    ...new Map(shard.map((one) => [viewedKeyOf({ ...one, key: one.source.path }), one])).values(),
  ]);
  return {
    models: [...models.values()].filter((cells) => cells.some((cell) => taken.has(cell))).length,
    viewed: viewed.reduce((sum, shard) => sum + shard.length, 0),
    byColorway: viewed.flatMap((shard) => countsBy(shard, colorwayOf)),
    byView: shards.flatMap((shard) =>
      countsBy(shard, (asset) => `${asset.source.view?.name ?? ''}@${colorwayOf(asset)}`),
    ),
  };
}

function colorwayOf({ source }: FoundAsset): string {
  return source.colorway?.name ?? '';
}

function countsBy(assets: readonly FoundAsset[], nameOf: (asset: FoundAsset) => string): number[] {
  return [...groupBy(assets, nameOf).values()].map((some) => some.length);
}

/** Numbers of assets that a step processes together. In a grid: each model once, or each colorway of a shard separately. */
export function callSizesOf(
  { cells, allViews }: Step,
  all: number,
  grid: Cells | null,
  byBatch = false,
): number[] {
  if (grid === null || cells === undefined) return [all];
  if (cells !== 'colorway') return [grid.models];
  if (!byBatch) return [allViews ? grid.viewed : all];
  return allViews ? grid.byColorway : grid.byView;
}
