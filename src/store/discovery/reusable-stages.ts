import { omitUndefined } from '../../plan/helpers/omit-undefined.ts';
import { compareStages, isMoreReusable, type ReusableStages } from '../../plan/stages.ts';
import type { Stages } from '../../plan/types.ts';
import type { ClaimedKeys } from '../claims/claims.ts';
import { encodeKey } from '../objects/object-name.ts';
import type { IdRules } from '../records/id-rules.ts';
import { computeReusableStages, findStages, type Recipes } from '../records/recipes.ts';
import type { RecordEntry, Records } from '../records/records.ts';
import { plainRecipeOf } from '../records/withdrawal-state.ts';
import type { RunAsset } from '../runs/run-assets.ts';

export interface CurrentRecipe {
  recipe: string;
  recipes: Pick<Recipes, 'readKnown'>;
  stages: Stages;
  records: Pick<Records, 'read'>;
  claimed: ClaimedKeys;
  idRules: IdRules;
  category?: string | null;
}

/**
 * Finds the reusable stages, even of a withdrawn asset. They follow from the record's name. The record is read if no
 * known recipe has its token, for example after a change of the row or cell, or if a known recipe has more reusable
 * stages than the record's. This is so once the current recipe is stored, because the record may list earlier work
 * under it.
 * @param record record of the asset, under any key
 */
export async function findReusableStages(
  { key, source }: Pick<RunAsset, 'key' | 'source'>,
  record: Pick<RecordEntry, 'name' | 'recipe'> | null,
  { recipe, recipes, stages, records, claimed, idRules, category = null }: CurrentRecipe,
): Promise<Pick<RunAsset, 'reusableStages' | 'models'>> {
  if (!record) return {};
  const knownRecipes = await recipes.readKnown();
  const compare = (was: string): ReusableStages =>
    computeReusableStages(knownRecipes, { was, currentRecipe: recipe, stages }, source);
  const token = plainRecipeOf(record);
  const stagesOfToken = findStages(knownRecipes, token, source);
  const stagesByName = compare(token);
  const isReturning = [...knownRecipes.values()].some((known) =>
    isMoreReusable(compareStages(known, stages), stagesByName),
  );
  const whole = stagesOfToken && !isReturning ? null : await records.read(record.name);
  const candidates = [stagesByName];
  if (whole) {
    const { platformIds, earlier = [] } = whole;
    if (Object.keys(idRules.uploadIds(platformIds, category)).length > 0)
      candidates.push(['source']);
    // A run that did not deliver the asset may have lost the work of earlier recipes.
    const works = claimed.has(encodeKey(key)) ? [whole] : [whole, ...earlier];
    candidates.push(...works.map((work) => compare(work.recipe)));
  }
  const reusableStages = candidates.reduce((best, other) =>
    isMoreReusable(other, best) ? other : best,
  );
  if (reusableStages.length === 0) return {};
  const was = whole ? findStages(knownRecipes, whole.recipe, whole.source) : stagesOfToken;
  return { reusableStages, ...omitUndefined({ models: was?.models }) };
}
