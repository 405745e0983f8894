// What each file is to the records: new, changed, of another recipe, tried before, or unchanged. Pure.
import type { AssetSource } from '../plan/types.ts';
import { recipeOf } from './asset-recipe.ts';
import type { AssetReason } from './manifest.ts';
import { encodeKey } from './object-name.ts';
import { isSameRecipe, isSameVersion, type RecordEntry, type RecordIndex } from './records.ts';
import { bytesOfVersion } from './source-version.ts';

export type Standing =
  | { reason: AssetReason; record: RecordEntry | null }
  | { reason: 'unchanged'; record: RecordEntry }
  /** Same size, other time: only the content can tell. */
  | { reason: 'touched'; record: RecordEntry; sameRecipe: boolean };

export interface Known {
  index: RecordIndex;
  /** Encoded keys with a claim. */
  claimed: ReadonlySet<string>;
  recipe: string;
}

/** How an asset stands to what earlier runs have left. */
export function standingOf(key: string, source: AssetSource, known: Known): Standing {
  const record = known.index.get(key);
  if (!record) {
    const reason = known.claimed.has(encodeKey(key)) ? 'retry' : 'new';
    return { reason, record: null };
  }
  const sameRecipe = isSameRecipe(record, recipeOf(known.recipe, source));
  if (isSameVersion(record, source.version)) {
    return { reason: sameRecipe ? 'unchanged' : 'recipe', record };
  }
  const sameSize = bytesOfVersion(record.version) === bytesOfVersion(source.version);
  return sameSize ? { reason: 'touched', record, sameRecipe } : { reason: 'changed', record };
}
