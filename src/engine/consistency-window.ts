// The consistency window: what was created a moment ago may not be visible on all servers of the platform yet. Pure.

import type { Client } from '../api/client.ts';
import type { PlatformIds } from '../plan/platform-ids.ts';
import type { Asset, AssetResult } from '../plan/types.ts';
import { NotVisibleYetError } from './engine-errors.ts';

const retryDelayBoundsMs = { min: 2_000, max: 15_000 };

/** The consistency window of the platform, and its time. */
export interface ConsistencyContext {
  readonly client: Pick<Client, 'consistencyWindowMs'>;
  now(): number;
}

type Failed = Extract<AssetResult, { outcome: 'failed' }>;

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
 * Asserts that a missing resource is really missing, and not just invisible for now: it would be created twice.
 * @throws NotVisibleYetError inside the consistency window
 */
export function assertPastConsistencyWindow(
  what: string,
  platformIds: Pick<PlatformIds, 'lastCreatedAtMs'>,
  context: ConsistencyContext,
): void {
  if (!isInConsistencyWindow(platformIds, context)) return;
  throw new NotVisibleYetError(what, retryDelayFor(platformIds, context.now()));
}

/** Most delays are short, so the first retries come soon. */
function retryDelayFor(
  { lastCreatedAtMs = 0 }: Pick<PlatformIds, 'lastCreatedAtMs'>,
  nowMs: number,
): number {
  return Math.min(
    Math.max((nowMs - lastCreatedAtMs) / 2, retryDelayBoundsMs.min),
    retryDelayBoundsMs.max,
  );
}

/**
 * Removes failures about missing resources inside the consistency window. A wait polls those assets again. A call is
 * retried as a whole and finds what it has created.
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

/** Keeps ids that were paid for but are missing, so that the next run searches for them before it pays again (`activities/check-earlier-work.ts`). */
function keepMissing(result: Failed): AssetResult {
  const { missing: _missing, forgetIds = [], ...rest } = result;
  return forgetIds.length === 0
    ? rest
    : { ...rest, platformIds: { ...rest.platformIds, missingIds: forgetIds } };
}
