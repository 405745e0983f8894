import { positionNamesOf } from '../../../plan/grid.ts';
import type { CellIndexes } from '../../../plan/shard/step-contract.ts';
import type { Asset } from '../../../plan/types.ts';
import { isCell, modelKeyOf } from '../../records/cell-keys.ts';

/** Returns the cell indexes of each asset, in the order of the assets, or null if none is a cell. */
export function computeGridCells(
  assets: readonly (Asset & { assetIndex: number })[],
): CellIndexes[] | null {
  if (!assets.some(isCell)) return null;
  const groups = createNumbering();
  const dimensions: ReturnType<typeof createNumbering>[] = [];
  return assets.map((asset): CellIndexes => {
    const group = groups(modelKeyOf(asset), asset.assetIndex);
    const positions = positionNamesOf(asset.source).map((name, index) => {
      dimensions[index] ??= createNumbering();
      return dimensions[index](name);
    });
    return [group, ...positions];
  });
}

/** Assigns each name a number: the number passed with the name, or the next free one. */
function createNumbering(): (name: string, first?: number) => number {
  const numbersByName = new Map<string, number>();
  return (name, first = numbersByName.size) => {
    const number = numbersByName.get(name) ?? first;
    numbersByName.set(name, number);
    return number;
  };
}
