// What the same file has become under other recipes: with another parameter, in another colour. Its record keeps the
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

/** What a new record keeps of the records before it, the latest last; those of another file are none of it. */
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

/** What this file has become under a recipe before. */
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
