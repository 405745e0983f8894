// Work on the same file under other recipes, such as another parameter or colour. The record keeps the ids, so that a
// recipe that recurs is not paid for again and cleaning does not delete its resources. Pure.
import type { PlatformResource } from '../../plan/contract/contract.ts';
import type { PlatformIds } from '../../plan/platform-ids.ts';
import { isMoreReusable, type ReusableStages } from '../../plan/stages.ts';
import type { AssetSource } from '../../plan/types.ts';
import type { IdRules } from './id-rules.ts';
import { resourcesOf } from './platform-resources.ts';
import { canReuseWork } from './source-version.ts';

/** Maximum number of earlier recipes in a record. Work under older ones is repeated. */
const maxRecipes = 20;

export interface EarlierWork {
  recipe: string;
  platformIds: PlatformIds;
}

interface RecordedWork extends EarlierWork {
  source: AssetSource;
  earlier?: EarlierWork[];
}

/** Returns the earlier work that a new record keeps, latest last. Omits records of another version of the file. */
export function computeEarlierWork(
  current: Pick<RecordedWork, 'source' | 'recipe'>,
  earlierRecords: readonly RecordedWork[],
  idRules: IdRules,
): EarlierWork[] {
  const byRecipe = new Map<string, EarlierWork>();
  for (const { source, recipe, platformIds, earlier = [] } of earlierRecords) {
    if (!canReuseWork(source.version, current.source.version)) continue;
    for (const work of [
      ...earlier,
      { recipe, platformIds: idRules.withoutTransient(platformIds) },
    ]) {
      byRecipe.delete(work.recipe);
      byRecipe.set(work.recipe, work);
    }
  }
  byRecipe.delete(current.recipe);
  return [...byRecipe.values()].slice(-maxRecipes);
}

/** Lists the ids that a later run may use, from a record and its earlier work, by recipe, latest first. */
export function listWorkByRecipe(
  { recipe, platformIds, earlier = [] }: Omit<RecordedWork, 'source'>,
  idRules: IdRules,
): EarlierWork[] {
  return [
    { recipe, platformIds: idRules.withoutTransient(platformIds) },
    ...earlier.toReversed(),
  ].map((work) => ({
    recipe: work.recipe,
    platformIds: idRules.afterCompletion(work.platformIds),
  }));
}

/**
 * Finds the ids of the earlier work with the most reusable stages (the first one if several are equal), and the stages
 * that are done. Empty if nothing can be reused.
 */
export function findMostReusableIds(
  works: readonly EarlierWork[],
  standing: (recipe: string) => ReusableStages,
  idRules: IdRules,
): PlatformIds {
  let best: { stages: ReusableStages; platformIds: PlatformIds } = { stages: [], platformIds: {} };
  for (const { recipe, platformIds } of works) {
    const stages = standing(recipe);
    if (isMoreReusable(stages, best.stages)) best = { stages, platformIds };
  }
  const platformIds = idRules.reusable(best.platformIds, best.stages);
  const stands = idRules.completedStages(platformIds, best.stages);
  return stands.length > 0 ? { ...platformIds, reusableStages: stands } : platformIds;
}

export function resourcesOfRecord(record: Omit<RecordedWork, 'recipe'>): PlatformResource[] {
  const { earlier = [] } = record;
  return [
    ...resourcesOf(record),
    ...earlier.flatMap(({ platformIds }) => resourcesOf({ platformIds })),
  ];
}
