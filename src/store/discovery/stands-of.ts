// The stages that can be reused of an asset made under another recipe.
import type { AssetSource, Stages } from '../../plan/types.ts';
import { withoutUndefined } from '../../plan/without-undefined.ts';
import { type Recipes, stagesUnder, standingUnder } from '../records/recipes.ts';
import type { RecordEntry } from '../records/records.ts';
import { madeUnder } from '../records/withdrawn.ts';
import type { ManifestAsset } from '../runs/manifest.ts';

export interface RecipeOfNow {
  recipe: string;
  /** Earlier recipes; absent: none are known. */
  recipes?: Pick<Recipes, 'known'>;
  stages?: Stages | undefined;
}

/**
 * Computed from the record's name alone; also for withdrawn assets.
 * @param record of the asset, under any key
 */
export async function standsOf(
  source: AssetSource,
  record: Pick<RecordEntry, 'recipe'> | null,
  { recipe: now, recipes, stages }: RecipeOfNow,
): Promise<Pick<ManifestAsset, 'stands' | 'models'>> {
  if (!record) return {};
  const known = stages ? await recipes?.known() : undefined;
  const was = madeUnder(record);
  const stands = standingUnder(known ?? new Map(), { was, now, stages }, source);
  if (stands.length === 0) return {};
  const { models } = (known && stagesUnder(known, was, source)) ?? {};
  return { stands, ...withoutUndefined({ models }) };
}
