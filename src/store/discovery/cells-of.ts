// Finds the grid cell of each asset of a shard. Pure.
import type { CellAt } from '../../plan/step-contract.ts';
import type { Asset } from '../../plan/types.ts';
import { isCell, modelKeyOf } from '../records/asset-names.ts';

/** In the order of the assets; null where they are no cells. */
export function cellsOf(assets: readonly (Asset & { at: number })[]): CellAt[] | null {
  if (!assets.some(isCell)) return null;
  const [models, colorways, views] = [numbers(), numbers(), numbers()];
  return assets.map((asset): CellAt => {
    const { at, source } = asset;
    const model = models(modelKeyOf(asset), at);
    const colorway = colorways(source.colorway?.name ?? '');
    return source.view ? [model, colorway, views(source.view.name)] : [model, colorway];
  });
}

/** Gives each name a number, at first the next or the one that comes with it. */
function numbers(): (name: string, first?: number) => number {
  const known = new Map<string, number>();
  return (name, first = known.size) => {
    const number = known.get(name) ?? first;
    known.set(name, number);
    return number;
  };
}
