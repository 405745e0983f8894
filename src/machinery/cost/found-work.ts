// The work that there is for a plan. Pure.
import { makingStages, type Standing } from '../../plan/stages.ts';
import type { Asset, AssetSource } from '../../plan/types.ts';
import type { AssetReason, ManifestAsset } from '../../store/runs/manifest.ts';

export interface FoundAsset extends Pick<ManifestAsset, 'moved' | 'previous'> {
  key: string;
  source: AssetSource;
  reason?: AssetReason;
  /** See ManifestAsset. */
  stands?: Standing;
  /** See ManifestAsset. */
  models?: readonly string[];
  /** Outputs of its render, where that is done and somebody has looked. */
  outputs?: { pictures: number; videos: number };
  olderThanMs?: number;
  /** Platform ids that the run may build on. */
  refs?: Asset['refs'];
}

export interface FoundWork {
  assets: readonly FoundAsset[];
  /** Requests to find them, by operation. */
  requests?: Record<string, number>;
}

/** Stages that are done already: of a file that is only delivered again, all. */
export function standingOf({
  reason,
  stands = [],
}: Pick<FoundAsset, 'reason' | 'stands'>): Standing {
  return reason === 'redeliver' ? makingStages : stands;
}

/** True for an asset whose file is taken up. */
export function isTakenUp(asset: Pick<FoundAsset, 'reason' | 'stands'>): boolean {
  return !standingOf(asset).includes('source');
}
