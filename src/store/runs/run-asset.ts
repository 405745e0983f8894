// An asset as discovery passes it to its run.
import { formatDuration } from '../../language/duration.ts';
import type { StageTimes } from '../../plan/freshness.ts';
import type { PlatformIds } from '../../plan/platform-ids.ts';
import type { StartPoint } from '../../plan/run/start-points.ts';
import { firstStageToRunOf, type ReusableStages } from '../../plan/stages.ts';
import type { AssetSource, Stage } from '../../plan/types.ts';
import type { EarlierWork } from '../records/earlier-work.ts';
import type { MovedFrom } from '../records/records.ts';

/**
 * `recipe`: the source is as delivered, but the pipeline's recipe has changed. `retry`: an earlier run tried and
 * delivered nothing. `redeliver`: nothing has changed, but a delivered file is missing or was modified. `age`: nothing
 * has changed, but something is older than the pipeline allows.
 */
export type AssetReason = 'new' | 'changed' | 'recipe' | 'retry' | 'redeliver' | 'force' | 'age';

export interface RunAsset {
  key: string;
  source: AssetSource;
  reason: AssetReason;
  /** Stages that can be reused although the recipe has changed or something has expired. Absent if there are none. */
  reusableStages?: ReusableStages;
  /** Kinds of model files that were delivered before. Absent if there are none. */
  models?: readonly string[];
  /** The same bytes were delivered under another key whose source is missing: this asset takes over that record. */
  moved?: MovedFrom;
  /** Allowed age, set for expired assets. */
  olderThanMs?: number;
  /** The run that delivered the asset, set for expired assets and for assets that are delivered again. */
  deliveredBy?: string;
  /** Names of the key's earlier records, which are deleted once the new one is written. */
  previous?: string[];
  /** sha256 (hex) of the source, if discovery has read the source. */
  sourceSha256?: string;
  /** Platform ids that this run may build on. */
  platformIds?: PlatformIds;
  /** Work under other recipes, from the record that will be deleted. */
  earlier?: EarlierWork[];
  /** When the stages were done, from the record of an asset that is delivered again. */
  made?: StageTimes;
}

/** Finds the start stage of an asset with another recipe, or with an expired stage. Returns null for other assets. */
export function findStartStage(asset: Pick<RunAsset, 'reason' | 'reusableStages'>): Stage | null {
  const { reason, reusableStages = [] } = asset;
  return reason === 'recipe' || reason === 'age' ? firstStageToRunOf(reusableStages) : null;
}

/** Returns the start stage of an asset, with the reason for it, or null if `findStartStage` returns null. */
export function findStartPoint(asset: RunAsset): StartPoint | null {
  const startStage = findStartStage(asset);
  if (startStage === null) return null;
  const { olderThanMs, moved } = asset;
  return {
    startStage,
    ...(olderThanMs === undefined ? {} : { olderThan: formatDuration(olderThanMs) }),
    ...(moved ? { isMoved: true } : {}),
  };
}
