// The consistency window: the time during which a new resource may not be visible on all servers of the platform. Pure.

import type { Client } from '../api/client.ts';
import type { PlatformIds } from '../plan/platform-ids.ts';
import type { Asset, AssetResult } from '../plan/types.ts';
import { NotVisibleYetError } from './engine-errors.ts';

const retryDelayBoundsMs = { min: 2_000, max: 15_000 };

/** The length of the platform's consistency window, and the platform's time (epoch ms). */
export interface ConsistencyContext {
  readonly client: Pick<Client, 'consistencyWindowMs'>;
  now(): number;
}

type FailedResult = Extract<AssetResult, { outcome: 'failed' }>;

/** True if the platform created something for the asset so recently that it may not be visible everywhere. */
export function isInConsistencyWindow(
  { lastCreatedAtMs }: Pick<PlatformIds, 'lastCreatedAtMs'>,
  context: ConsistencyContext,
): boolean {
  return (
    lastCreatedAtMs !== undefined &&
    context.now() - lastCreatedAtMs < context.client.consistencyWindowMs
  );
}

/**
 * Asserts that a missing resource is not just invisible for now, because creating it again would be paid twice.
 * @param problem message that says what is missing
 * @throws NotVisibleYetError inside the consistency window
 */
export function assertPastConsistencyWindow(
  problem: string,
  platformIds: Pick<PlatformIds, 'lastCreatedAtMs'>,
  context: ConsistencyContext,
): void {
  if (!isInConsistencyWindow(platformIds, context)) return;
  const ageMs = context.now() - (platformIds.lastCreatedAtMs ?? 0);
  // Most resources become visible soon, so the first retries come quickly.
  const delayMs = Math.max(ageMs / 2, retryDelayBoundsMs.min);
  throw new NotVisibleYetError(problem, Math.min(delayMs, retryDelayBoundsMs.max));
}

/**
 * Removes failures about resources that are missing inside the consistency window. A wait polls the assets concerned
 * again. A call is retried as a whole, and the retry finds the results of this attempt.
 * @throws NotVisibleYetError in calls
 */
export function dropPrematureFailures(
  results: readonly AssetResult[],
  assets: readonly Asset[],
  mode: 'call' | 'wait',
  context: ConsistencyContext,
): AssetResult[] {
  return results.flatMap((result) => {
    if (result.outcome !== 'failed' || !result.missing) return [result];
    const { platformIds = {} } = assets.find(({ key }) => key === result.key) ?? {};
    if (mode === 'call') assertPastConsistencyWindow(result.message, platformIds, context);
    return isInConsistencyWindow(platformIds, context) ? [] : [keepMissing(result)];
  });
}

/** Keeps the ids of missing paid work. The next run looks for it first: `activities/shard/check-earlier-work.ts`. */
function keepMissing(result: FailedResult): AssetResult {
  const { missing: _missing, forgetIds = [], ...rest } = result;
  return forgetIds.length === 0
    ? rest
    : { ...rest, platformIds: { ...rest.platformIds, missingIds: forgetIds } };
}
