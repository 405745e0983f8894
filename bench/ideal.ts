// What nobody can beat: the platform's own times, and the fewest requests at an allowance.
import type { Case } from './options.ts';

/**
 * By the API's caps: a job and its confirmation for 50 files, 100 ids a status request, 50 models a
 * project request, 50 projects a render request, then each batch of 50 read once.
 */
export function fewestRequests(assets: number): number {
  return 5 * Math.ceil(assets / 50) + Math.ceil(assets / 100);
}

/** The slowest asset's own times; under a limit at least what the fewest requests take at that allowance. */
export function idealMs(
  slowestMs: number,
  { assets, limit, windowSeconds }: Pick<Case, 'assets' | 'limit' | 'windowSeconds'>,
): number {
  if (limit === 0) return slowestMs;
  return Math.max(slowestMs, (fewestRequests(assets) / limit) * windowSeconds * 1_000);
}
