// Which cell of a colorway grid each asset of a shard is. Pure.
import type { CellAt } from '../plan/step-contract.ts';
import type { Asset } from '../plan/types.ts';
import { modelKeyOf } from './asset-names.ts';

/** In the order of the assets; null where they are no cells. */
export function cellsOf(assets: readonly (Asset & { at: number })[]): CellAt[] | null {
  if (!assets.some(({ source }) => source.colorway !== undefined)) return null;
  const models = new Map<string, number>();
  const colorways = new Map<string, number>();
  return assets.map((asset): CellAt => {
    const model = modelKeyOf(asset);
    const colorway = asset.source.colorway?.name ?? '';
    if (!models.has(model)) models.set(model, asset.at);
    if (!colorways.has(colorway)) colorways.set(colorway, colorways.size);
    return [models.get(model) ?? asset.at, colorways.get(colorway) ?? 0];
  });
}
