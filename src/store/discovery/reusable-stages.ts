// The stages that can be reused of an asset made under another recipe.

import { withoutUndefined } from '../../plan/helpers/without-undefined.ts';
import type { AssetSource, Stages } from '../../plan/types.ts';
import { type Recipes, stagesReusableUnder, stagesUnder } from '../records/recipes.ts';
import type { RecordEntry } from '../records/records.ts';
import { recipeWithoutState } from '../records/withdrawal-state.ts';
import type { ManifestAsset } from '../runs/manifest.ts';

export interface CurrentRecipe {
  recipe: string;
  /** Earlier recipes. */
  recipes: Pick<Recipes, 'known'>;
  stages: Stages;
}

/**
 * Computed from the record's name alone; also for withdrawn assets.
 * @param record of the asset, under any key
 */
export async function findReusableStages(
  source: AssetSource,
  record: Pick<RecordEntry, 'recipe'> | null,
  { recipe: now, recipes, stages }: CurrentRecipe,
): Promise<Pick<ManifestAsset, 'reusableStages' | 'models'>> {
  if (!record) return {};
  const known = await recipes.known();
  const was = recipeWithoutState(record);
  const stands = stagesReusableUnder(known, { was, now, stages }, source);
  if (stands.length === 0) return {};
  const { models } = stagesUnder(known, was, source) ?? {};
  return { reusableStages: stands, ...withoutUndefined({ models }) };
}
