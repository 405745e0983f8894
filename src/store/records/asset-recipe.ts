// The recipe of one asset, which decides how its outputs look: the pipeline's recipe with the asset's colorway and view.
// Pure.
import type { AssetSource } from '../../plan/types.ts';
import { hashOf } from '../objects/object-name.ts';

/** @param recipe of the pipeline */
export function recipeOf(
  recipe: string,
  { colorway, view }: Pick<AssetSource, 'colorway' | 'view'>,
): string {
  const viewed = view === undefined ? recipe : hashOf(JSON.stringify([recipe, view.fingerprint]));
  if (colorway === undefined) return viewed;
  const rules = colorway.rules.map(({ matchText, matchMode, material, materialId }) => [
    matchText,
    matchMode,
    material ?? null,
    materialId ?? null,
  ]);
  return hashOf(JSON.stringify([viewed, rules]));
}

/** True if two cells of a grid put the same materials on the same slots. */
export function isSameColorway(
  one: Pick<AssetSource, 'colorway'>,
  other: Pick<AssetSource, 'colorway'>,
): boolean {
  const ofColorway = ({ colorway }: Pick<AssetSource, 'colorway'>) =>
    recipeOf('', colorway ? { colorway } : {});
  return one.colorway !== undefined && ofColorway(one) === ofColorway(other);
}
