// Work on the same file under other recipes: with another parameter, in another colour. Its record keeps the
// ids, so that a recipe that comes back is not paid for again, and nobody cleans up what it will use. Pure.
import type { PlatformThing } from '../../plan/contract.ts';
import type { Refs } from '../../plan/refs.ts';
import { type Standing, standsMore } from '../../plan/stages.ts';
import type { AssetSource } from '../../plan/types.ts';
import { thingsOf } from './platform-things.ts';
import type { RefBook } from './ref-book.ts';
import { isBuiltOf } from './source-version.ts';

/** A pipeline that is run in more colours than these makes the oldest of them anew. */
const recipesKept = 20;

export interface EarlierWork {
  recipe: string;
  refs: Refs;
}

interface Recorded extends EarlierWork {
  source: AssetSource;
  earlier?: EarlierWork[];
}

/** The earlier work that a new record keeps, the latest last; records of another file are left out. */
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

/** What a record and its earlier work have made, each under its recipe, the latest first. */
export function worksOf(
  { recipe, refs, earlier = [] }: Omit<Recorded, 'source'>,
  book: RefBook,
): EarlierWork[] {
  return [{ recipe, refs: book.lasting(refs) }, ...earlier.toReversed()].map((work) => ({
    recipe: work.recipe,
    refs: book.ended(work.refs),
  }));
}

/** Refs that stand of the work of which most does, the first of equals; with `stands` for what is done. Empty where nothing does. */
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

/** All that a record names. */
export function thingsOfRecord(record: Omit<Recorded, 'recipe'>): PlatformThing[] {
  const { earlier = [] } = record;
  return [...thingsOf(record), ...earlier.flatMap(({ refs }) => thingsOf({ refs }))];
}
