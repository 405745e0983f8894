// How much of the allowance was used while there was work.
import type { Case } from './options.ts';
import type { RateWindow } from './sandbox.ts';

export interface Use {
  windows: number;
  /** Shares of the allowance, 0 to 1. */
  mean: number;
  least: number;
}

/** Of the windows that were over when the work was: the last one holds work for a part of its time only. */
export function windowUse(
  windows: readonly RateWindow[],
  { limit, windowSeconds }: Pick<Case, 'limit' | 'windowSeconds'>,
  endedAtMs: number,
): Use | null {
  const shares = windows
    .filter(({ openedAt }) => openedAt + windowSeconds * 1_000 <= endedAtMs)
    .map(({ used }) => used / limit);
  if (shares.length === 0) return null;
  const mean = shares.reduce((sum, share) => sum + share, 0) / shares.length;
  return { windows: shares.length, mean, least: Math.min(...shares) };
}
