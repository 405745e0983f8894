// Work on the same file under other recipes, such as another parameter or colour. The record keeps the ids, so that a
// recipe that comes back is not paid for again and cleaning does not delete its resources. Pure.
import type { PlatformThing } from '../../plan/contract.ts';
import type { Refs } from '../../plan/refs.ts';
import { type Standing, standsMore } from '../../plan/stages.ts';
import type { AssetSource } from '../../plan/types.ts';
import { thingsOf } from './platform-things.ts';
import type { RefBook } from './ref-book.ts';
import { isBuiltOf } from './source-version.ts';

/** A pipeline that is run with more recipes than this repeats the work of the oldest ones. */
const recipesKept = 20;

export interface EarlierWork {
  recipe: string;
  refs: Refs;
}

interface Recorded extends EarlierWork {
  source: AssetSource;
  earlier?: EarlierWork[];
}

/** The earlier work that a new record keeps, the latest last. Records of another file are left out. */
export function earlierOf(
  now: Pick<Recorded, 'source' | 'recipe'>,
  before: readonly Recorded[],
  book: RefBook,
): EarlierWork[] {
  const byRecipe = new Map<string, EarlierWork>();
  for (const { source, recipe, refs, earlier = [] } of before) {
    if (!isBuiltOf(source.version, now.source.version)) continue;
    for (const work of [...earlier, { recipe, refs: book.lasting(refs) }]) {
      byRecipe.delete(work.recipe);
      byRecipe.set(work.recipe, work);
    }
  }
  byRecipe.delete(now.recipe);
  return [...byRecipe.values()].slice(-recipesKept);
}

/** The ids that a record and its earlier work have, by recipe, the latest first. */
export function worksOf(
  { recipe, refs, earlier = [] }: Omit<Recorded, 'source'>,
  book: RefBook,
): EarlierWork[] {
  return [{ recipe, refs: book.lasting(refs) }, ...earlier.toReversed()].map((work) => ({
    recipe: work.recipe,
    refs: book.ended(work.refs),
  }));
}

/**
 * The ids of the earlier work with the most reusable stages (the first one if several are equal), with the stages that are
 * done. Empty if nothing can be reused.
 */
export function standingWork(
  works: readonly EarlierWork[],
  standing: (recipe: string) => Standing,
  book: RefBook,
): Refs {
  let best: { stages: Standing; refs: Refs } = { stages: [], refs: {} };
  for (const { recipe, refs } of works) {
    const stages = standing(recipe);
    if (standsMore(stages, best.stages)) best = { stages, refs };
  }
  const refs = book.standing(best.refs, best.stages);
  const stands = book.done(refs, best.stages);
  return stands.length > 0 ? { ...refs, stands } : refs;
}

/** All platform resources that a record names. */
export function thingsOfRecord(record: Omit<Recorded, 'recipe'>): PlatformThing[] {
  const { earlier = [] } = record;
  return [...thingsOf(record), ...earlier.flatMap(({ refs }) => thingsOf({ refs }))];
}
