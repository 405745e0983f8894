// Lower bounds for any contender, from the platform's own durations and the minimum number of requests.
import type { Case } from './options.ts';

/**
 * Returns the minimum number of requests with the API's batch sizes: 50 files per job and confirmation, 100 ids per
 * status request, 50 models per project request, 50 projects per render request, and one read of each batch.
 */
export function fewestRequests(assets: number): number {
  return 5 * Math.ceil(assets / 50) + Math.ceil(assets / 100);
}

/**
 * Returns the duration of the slowest asset or, if longer, the time that the rate limit requires for the minimum number
 * of requests.
 */
export function idealMs(
  slowestMs: number,
  { assets, limit, windowSeconds }: Pick<Case, 'assets' | 'limit' | 'windowSeconds'>,
): number {
  if (limit === 0) return slowestMs;
  return Math.max(slowestMs, (fewestRequests(assets) / limit) * windowSeconds * 1_000);
}
