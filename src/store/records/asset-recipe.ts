// The recipe of one asset, which decides how its outputs look: the pipeline's recipe with the asset's positions in the
// grid. Pure.
import type { CellSource, Position } from '../../plan/grid.ts';
import { hashOf } from '../objects/object-name.ts';

/** @param recipe of the pipeline */
export function recipeOf(recipe: string, { cell }: CellSource): string {
  return (cell?.positions ?? []).reduceRight(
    (inner, { payload }) => hashOf(JSON.stringify([inner, payload])),
    recipe,
  );
}

/** The positions, outermost first, up to the first that would look different in the other cell. */
export function commonPositions(one: CellSource, other: CellSource): Position[] {
  const { positions = [] } = one.cell ?? {};
  const differing = positions.findIndex((position, index) => {
    const { dimension, payload } = other.cell?.positions[index] ?? {};
    const isSame =
      dimension === position.dimension &&
      JSON.stringify(payload) === JSON.stringify(position.payload);
    return !isSame;
  });
  return differing === -1 ? positions : positions.slice(0, differing);
}
