// Compares assets with the records: new, changed, touched, other recipe, tried before, or unchanged. Pure.

import type { AssetSource } from '../../plan/types.ts';
import type { ClaimedKeys } from '../claims/claims.ts';
import { encodeKey, parseRecordName, recordName } from '../objects/object-name.ts';
import { assetRecipeOf } from '../records/asset-recipe.ts';
import {
  isSameRecipe,
  isSameVersion,
  type RecordEntry,
  type RecordIndex,
} from '../records/records.ts';
import { bytesOfVersion } from '../records/source-version.ts';
import type { AssetReason } from '../runs/run-assets.ts';

export type AssetStatus =
  | { reason: AssetReason; record: RecordEntry | null }
  | { reason: 'unchanged'; record: RecordEntry }
  /** The size is the same but the version differs, so only the content can show whether the source changed. */
  | { reason: 'touched'; record: RecordEntry; sameRecipe: boolean };

export interface ClassifiedAsset {
  key: string;
  source: AssetSource;
  status: AssetStatus;
}

export interface KnownRecords {
  index: RecordIndex;
  claimed: ClaimedKeys;
  recipe: string;
  /** Names of records that were moved to another key and no longer count for their old key. */
  movedRecords?: ReadonlySet<string>;
}

/** Determines the status of an asset compared with the records and claims of earlier runs. */
export function classifyAsset(
  key: string,
  source: AssetSource,
  knownRecords: KnownRecords,
): AssetStatus {
  const record = knownRecords.index.get(key);
  if (!record || knownRecords.movedRecords?.has(record.name)) {
    const reason = knownRecords.claimed.has(encodeKey(key)) ? 'retry' : 'new';
    return { reason, record: null };
  }
  const recipe = assetRecipeOf(knownRecords.recipe, source);
  const sameRecipe = isSameRecipe(record, recipe);
  if (isSameVersion(record, source.version)) {
    if (sameRecipe) return { reason: 'unchanged', record };
    return {
      reason: 'recipe',
      record: withOlderFirst(record, recordName(key, source.version, recipe)),
    };
  }
  const isSameSize = bytesOfVersion(record.version) === bytesOfVersion(source.version);
  return isSameSize ? { reason: 'touched', record, sameRecipe } : { reason: 'changed', record };
}

/** Prefers an older record that has the name, because its work can be delivered again. Its files may be replaced. */
function withOlderFirst(record: RecordEntry, name: string): RecordEntry {
  const nameParts = record.older.includes(name) ? parseRecordName(name) : null;
  if (!nameParts) return record;
  const others = [record.name, ...record.older].filter((other) => other !== name);
  return { ...nameParts, name, older: others };
}

export interface AssetSelector {
  isSelected(asset: { key: string; source: AssetSource }, reason: AssetStatus['reason']): boolean;
  /** True if the person selected a refused source. Only the name of the source is known. */
  isRefusedSelected(name: string): boolean;
  /** True to also include unchanged assets. */
  readonly force: boolean;
}
