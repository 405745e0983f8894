import { omitUndefined } from '../../plan/helpers/omit-undefined.ts';
import type { AssetSource, Stages } from '../../plan/types.ts';
import { computeReusableStages, findStages, type Recipes } from '../records/recipes.ts';
import type { RecordEntry, Records } from '../records/records.ts';
import { plainRecipeOf } from '../records/withdrawal-state.ts';
import type { RunAsset } from '../runs/run-assets.ts';

export interface CurrentRecipe {
  recipe: string;
  recipes: Pick<Recipes, 'readKnown'>;
  stages: Stages;
  records: Pick<Records, 'read'>;
}

/**
 * Finds the reusable stages, even of a withdrawn asset. They follow from the record's name. If no known recipe has its
 * token, for example after a change of the row, the record is read.
 * @param record record of the asset, under any key
 */
export async function findReusableStages(
  source: AssetSource,
  record: Pick<RecordEntry, 'name' | 'recipe'> | null,
  { recipe: currentRecipe, recipes, stages, records }: CurrentRecipe,
): Promise<Pick<RunAsset, 'reusableStages' | 'models'>> {
  if (!record) return {};
  const knownRecipes = await recipes.readKnown();
  const token = plainRecipeOf(record);
  const isKnown = findStages(knownRecipes, token, source) !== null;
  const was = isKnown ? token : ((await records.read(record.name))?.recipe ?? token);
  const reusableStages = computeReusableStages(
    knownRecipes,
    { was, currentRecipe, stages },
    source,
  );
  if (reusableStages.length === 0) return {};
  const { models } = findStages(knownRecipes, was, source) ?? {};
  return { reusableStages, ...omitUndefined({ models }) };
}
