// How much of the allowance was used while there was work.
import type { Case } from './options.ts';
import type { RateWindow } from './sandbox.ts';

export interface Use {
  windows: number;
  /** Shares of the allowance, 0 to 1. Of the mean, times without a window are a part: nothing was used then. */
  mean: number;
  least: number;
}

/** Of the windows that were over when the work was: the last one holds work for a part of its time only. */
export function windowUse(
  windows: readonly RateWindow[],
  { limit, windowSeconds }: Pick<Case, 'limit' | 'windowSeconds'>,
  endedAtMs: number,
): Use | null {
  const windowMs = windowSeconds * 1_000;
  const over = windows.filter(({ openedAt }) => openedAt + windowMs <= endedAtMs);
  const [first, last] = [over[0], over.at(-1)];
  if (!first || !last) return null;
  const used = over.reduce((sum, window) => sum + window.used, 0);
  const permitted = limit * ((last.openedAt - first.openedAt) / windowMs + 1);
  const least = Math.min(...over.map((window) => window.used)) / limit;
  return { windows: over.length, mean: used / permitted, least };
}
