// An asset as discovery hands it to its run.
import { formatDuration } from '../../language/duration.ts';
import type { BeginAt } from '../../plan/begins.ts';
import type { Refs } from '../../plan/refs.ts';
import { firstStage, type Standing } from '../../plan/stages.ts';
import type { AssetSource, Stage } from '../../plan/types.ts';
import type { EarlierWork } from '../records/earlier-work.ts';
import type { MovedFrom } from '../records/moved-from.ts';

/**
 * `recipe`: the source is as delivered, the pipeline makes something else of it. `retry`: nothing was delivered, but an
 * earlier run tried. `redeliver`: nothing has changed, but what was delivered does not lie there any more as it was. `age`: nothing
 * has changed, but something of it is older than the pipeline allows.
 */
export type AssetReason = 'new' | 'changed' | 'recipe' | 'retry' | 'redeliver' | 'force' | 'age';

export interface ManifestAsset {
  key: string;
  source: AssetSource;
  reason: AssetReason;
  /** Stages that stand though the pipeline makes something else of it, or something is too old; absent: none. */
  stands?: Standing;
  /** Kinds of files of its model that were delivered before; absent: none. */
  models?: readonly string[];
  /** The same bytes were delivered under another key that has them no more: this asset takes their record over. */
  moved?: MovedFrom;
  /** Of what is too old: how old it may be, and the run that delivered it. */
  olderThanMs?: number;
  madeBy?: string;
  /** Names of the key's records so far; they go when the new one is there. */
  previous?: string[];
  /** Hash of the source (hex), where it was read when it was found. */
  sourceSha256?: string;
  /** Platform ids that this run may build on. */
  refs?: Refs;
  /** Work under other recipes, kept by its record, which goes. */
  earlier?: EarlierWork[];
}

/** The stage at which an asset begins that the pipeline makes something else of; null for others. */
export function beginOf({
  reason,
  stands = [],
}: Pick<ManifestAsset, 'reason' | 'stands'>): Stage | null {
  return reason === 'recipe' || reason === 'age' ? firstStage(stands) : null;
}

/** The same with its cause. */
export function beginAt(asset: ManifestAsset): BeginAt | null {
  const begin = beginOf(asset);
  if (begin === null) return null;
  const { olderThanMs, moved } = asset;
  return {
    begin,
    ...(olderThanMs === undefined ? {} : { olderThan: formatDuration(olderThanMs) }),
    ...(moved ? { isMoved: true } : {}),
  };
}
