// The grid cell of each asset of a shard. Pure.
import type { CellIndexes } from '../../plan/shard/step-contract.ts';
import type { Asset } from '../../plan/types.ts';
import { isCell, modelKeyOf } from '../records/cell-keys.ts';

/** In the order of the assets; null if they are not cells. */
export function gridCellsOf(
  assets: readonly (Asset & { assetIndex: number })[],
): CellIndexes[] | null {
  if (!assets.some(isCell)) return null;
  const [models, colorways, views] = [createNumbering(), createNumbering(), createNumbering()];
  return assets.map((asset): CellIndexes => {
    const { assetIndex, source } = asset;
    const model = models(modelKeyOf(asset), assetIndex);
    const colorway = colorways(source.colorway?.name ?? '');
    return source.view ? [model, colorway, views(source.view.name)] : [model, colorway];
  });
}

/** Gives each name a number: the number passed with it, or the next one. */
function createNumbering(): (name: string, first?: number) => number {
  const known = new Map<string, number>();
  return (name, first = known.size) => {
    const number = known.get(name) ?? first;
    known.set(name, number);
    return number;
  };
}
