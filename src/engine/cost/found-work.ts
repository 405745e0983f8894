// The assets that discovery has found for a plan. Pure.
import { type ReusableStages, workStages } from '../../plan/stages.ts';
import type { Asset, AssetSource } from '../../plan/types.ts';
import type { AssetReason, RunAsset } from '../../store/runs/run-assets.ts';

export interface FoundAsset extends Pick<RunAsset, 'moved' | 'previous'> {
  key: string;
  source: AssetSource;
  reason?: AssetReason;
  /** Stages that can be reused though the recipe has changed or something has expired. Absent if there are none. */
  reusableStages?: ReusableStages;
  /** Kinds of model files that were delivered before. Absent if there are none. */
  models?: readonly string[];
  /** Number of outputs of the asset's render. Absent if the render is not finished or was not read. */
  outputs?: { pictures: number; videos: number };
  olderThanMs?: number;
  /** Platform ids that the run may reuse. */
  platformIds?: Asset['platformIds'];
}

export interface FoundWork {
  assets: readonly FoundAsset[];
  /** Requests that discovery took, by operation. */
  requests?: Record<string, number>;
}

/** Stages that the asset has finished. These are all work stages if the asset is only delivered again. */
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
