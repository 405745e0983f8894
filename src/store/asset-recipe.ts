// What decides how the outputs of one asset look: the recipe of its pipeline, and its colorway. Pure.
import type { AssetSource } from '../plan/types.ts';
import { hashOf } from './object-name.ts';

/** @param recipe of the pipeline */
export function recipeOf(recipe: string, { colorway }: Pick<AssetSource, 'colorway'>): string {
  if (colorway === undefined) return recipe;
  const rules = colorway.rules.map(({ matchText, matchMode, material, materialId }) => [
    matchText,
    matchMode,
    material ?? null,
    materialId ?? null,
  ]);
  return hashOf(JSON.stringify([recipe, rules]));
}

/** Whether two cells of a grid put the same materials on the same slots. */
export function isSameColorway(
  one: Pick<AssetSource, 'colorway'>,
  other: Pick<AssetSource, 'colorway'>,
): boolean {
  return one.colorway !== undefined && recipeOf('', one) === recipeOf('', other);
}
