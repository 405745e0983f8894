// The work that there is for a plan. Pure.
import type { AssetSource } from '../../plan/types.ts';
import type { AssetReason } from '../../store/runs/manifest.ts';

export interface FoundWork {
  assets: readonly { source: AssetSource; reason?: AssetReason }[];
  /** Requests to find them, by operation. */
  requests?: Record<string, number>;
}

/** False where everything is made already, and only files are delivered again. */
export function isMade({ reason }: Pick<FoundWork['assets'][number], 'reason'>): boolean {
  return reason !== 'redeliver';
}
