// The assets that discovery has found for a plan. Pure.
import { type ReusableStages, workStages } from '../../plan/stages.ts';
import type { Asset, AssetSource } from '../../plan/types.ts';
import type { ClaimedKeys } from '../../store/claims/claims.ts';
import type { AssetReason, RunAsset } from '../../store/runs/run-assets.ts';

export interface FoundAsset extends Pick<RunAsset, 'moved' | 'previous'> {
  key: string;
  source: AssetSource;
  reason?: AssetReason;
  /** Stages that can be reused although the recipe has changed or something has expired. Absent if there are none. */
  reusableStages?: ReusableStages;
  /** Kinds of model files that have already been delivered. Absent if there are none. */
  models?: readonly string[];
  /** Number of outputs of the asset's render. Absent if the render is not finished or was not read. */
  outputs?: { pictures: number; videos: number };
  olderThanMs?: number;
  /** Platform ids that the run may reuse. */
  platformIds?: Asset['platformIds'];
}

export interface FoundWork {
  assets: readonly FoundAsset[];
  /** Encoded keys that earlier runs have claimed. Absent if unknown. */
  claimed?: ClaimedKeys;
  /** Number of requests that discovery sent, by operation. */
  requests?: Record<string, number>;
}

/** Returns the stages that the asset has finished. If the asset is only delivered again, these are all work stages. */
export function finishedStagesOf({
  reason,
  reusableStages = [],
}: Pick<FoundAsset, 'reason' | 'reusableStages'>): ReusableStages {
  return reason === 'redeliver' ? workStages : reusableStages;
}

/** True if the file of the asset must be uploaded. */
export function isUploadNeeded(asset: Pick<FoundAsset, 'reason' | 'reusableStages'>): boolean {
  return !finishedStagesOf(asset).includes('source');
}
