// The work that there is for a plan. Pure.
import type { Asset, AssetSource } from '../../plan/types.ts';
import type { AssetReason } from '../../store/runs/manifest.ts';

export interface FoundAsset {
  key: string;
  source: AssetSource;
  reason?: AssetReason;
  /** Platform ids that the run may build on. */
  refs?: Asset['refs'];
}

export interface FoundWork {
  assets: readonly FoundAsset[];
  /** Requests to find them, by operation. */
  requests?: Record<string, number>;
}

/** False where everything is made already, and only files are delivered again. */
export function isMade({ reason }: Pick<FoundAsset, 'reason'>): boolean {
  return reason !== 'redeliver';
}
