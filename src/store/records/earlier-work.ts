// Work on the same file under other recipes: with another parameter, in another colour. Its record keeps the
// ids, so that a recipe that comes back is not paid for again, and nobody cleans up what it will use. Pure.
import type { PlatformThing } from '../../plan/contract.ts';
import type { Refs } from '../../plan/refs.ts';
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

/** Refs from earlier work on this file under this recipe; null where there is none. */
export function workUnder(
  recipe: string,
  { earlier = [] }: Pick<Recorded, 'earlier'>,
  book: RefBook,
): Refs | null {
  const found = earlier.find((work) => work.recipe === recipe);
  return found === undefined ? null : book.ended(found.refs);
}

/** All that a record names. */
export function thingsOfRecord(record: Omit<Recorded, 'recipe'>): PlatformThing[] {
  const { earlier = [] } = record;
  return [...thingsOf(record), ...earlier.flatMap(({ refs }) => thingsOf({ refs }))];
}
