// The recipe of one asset: the pipeline's, with the asset's positions in the grid and its row in the tables. Pure.
import type { CellSource, Position } from '../../plan/grid.ts';
import type { RowSource } from '../../plan/rows.ts';
import { hashOf, recipeTokenOf } from '../objects/object-name.ts';

/** The fields that make the recipe of an asset differ from the recipe of its pipeline. */
export type RecipeSource = CellSource & RowSource;

const rowMark = '~';

/**
 * Returns the recipe of an asset. It ends with a hash of the row's values for each stage that reads them, so that a
 * later run can tell which stages a changed row concerns.
 * @param recipe recipe of the pipeline
 */
export function assetRecipeOf(recipe: string, { cell, row }: RecipeSource): string {
  const ofCell = cellRecipeOf(recipe, { ...(cell && { cell }) });
  const stages = Object.entries(row?.stages ?? {});
  if (stages.length === 0) return ofCell;
  const text = new URLSearchParams(stages.toSorted(([a], [b]) => (a < b ? -1 : 1))).toString();
  return `${hashOf(JSON.stringify([ofCell, text]))}${rowMark}${text}`;
}

/** Returns the pipeline's recipe with the positions of the cell, but without the row. */
export function cellRecipeOf(recipe: string, { cell }: CellSource): string {
  return (cell?.positions ?? []).reduceRight(
    (inner, { payload }) => hashOf(JSON.stringify([inner, payload])),
    recipe,
  );
}

/** Parses the part of a recipe that the row determines, by stage. Null for a token, which does not contain it. */
export function parseRowStages(recipe: string): Record<string, string> | null {
  const markIndex = recipe.indexOf(rowMark);
  if (markIndex !== -1) return Object.fromEntries(new URLSearchParams(recipe.slice(markIndex + 1)));
  return recipeTokenOf(recipe) === recipe ? null : {};
}

/** Returns the positions of `first`, outermost first, before the first that looks different in `second`. */
export function findCommonPositions(first: CellSource, second: CellSource): Position[] {
  const { positions = [] } = first.cell ?? {};
  const differing = positions.findIndex((position, index) => {
    const { dimension, payload } = second.cell?.positions[index] ?? {};
    const isSame =
      dimension === position.dimension &&
      JSON.stringify(payload) === JSON.stringify(position.payload);
    return !isSame;
  });
  return differing === -1 ? positions : positions.slice(0, differing);
}
