// Measures how much of the rate limit was used while there was work.
import type { Case } from './options.ts';
import type { RateWindow } from './sandbox.ts';

export interface Use {
  windows: number;
  /** Shares of the limit, 0 to 1. In the mean, times without a window count as unused. */
  mean: number;
  min: number;
}

/**
 * Returns the use of the windows that closed during the work, excluding the last, partly used one. Null if there are
 * none.
 */
export function windowUse(
  windows: readonly RateWindow[],
  { limit, windowSeconds }: Pick<Case, 'limit' | 'windowSeconds'>,
  endedAtMs: number,
): Use | null {
  const windowMs = windowSeconds * 1_000;
  const closedWindows = windows.filter(({ openedAt }) => openedAt + windowMs <= endedAtMs);
  const [first, last] = [closedWindows[0], closedWindows.at(-1)];
  if (!first || !last) return null;
  const usedRequests = closedWindows.reduce((sum, window) => sum + window.used, 0);
  const permitted = limit * ((last.openedAt - first.openedAt) / windowMs + 1);
  const min = Math.min(...closedWindows.map((window) => window.used)) / limit;
  return { windows: closedWindows.length, mean: usedRequests / permitted, min };
}
