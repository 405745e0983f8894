// The assets that discovery has found for a plan. Pure.
import { type ReusableStages, workStages } from '../../plan/stages.ts';
import type { ClaimedKeys } from '../../store/claims/claims.ts';
import type { AssetReason, RunAsset } from '../../store/runs/run-assets.ts';

export interface FoundAsset
  extends Omit<RunAsset, 'reason' | 'deliveredBy' | 'sourceSha256' | 'earlier' | 'made'> {
  reason?: AssetReason;
  /** Number of outputs of the asset's render. Absent if the render is not finished or was not read. */
  outputs?: { pictures: number; videos: number };
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

/** True if the run uploads the file of the asset, and so creates its model. */
export function isNewModel(
  asset: Pick<FoundAsset, 'source' | 'reason' | 'reusableStages'>,
): boolean {
  return asset.source.id === undefined && !finishedStagesOf(asset).includes('source');
}
