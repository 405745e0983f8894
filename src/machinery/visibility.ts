// A platform of many servers: what was made a moment ago may not show on all of them yet. Pure.

import type { Client } from '../api/client.ts';
import type { Refs } from '../plan/refs.ts';
import type { Asset, AssetResult } from '../plan/types.ts';
import { NotVisibleYetError } from './engine-errors.ts';

const lookAgainMs = { least: 2_000, most: 15_000 };

/** The platform that is asked, and the time. */
export interface ConsistencyContext {
  readonly client: Pick<Client, 'consistencyMs'>;
  now(): number;
}

type Failed = Extract<AssetResult, { outcome: 'failed' }>;

/** True where the platform made something for the asset so recently that it need not show everywhere. */
export function isYoung(
  { madeAtMs }: Pick<Refs, 'madeAtMs'>,
  context: ConsistencyContext,
): boolean {
  return madeAtMs !== undefined && context.now() - madeAtMs < context.client.consistencyMs;
}

/**
 * Refuses to take an object for gone that may just not show yet: then it would be made once more.
 * @throws NotVisibleYetError
 */
export function mustBeOld(
  what: string,
  refs: Pick<Refs, 'madeAtMs'>,
  context: ConsistencyContext,
): void {
  if (!isYoung(refs, context)) return;
  throw new NotVisibleYetError(what, lookAgainAfterMs(refs, context.now()));
}

/** Most lags are short, so the first looks come soon. */
function lookAgainAfterMs({ madeAtMs = 0 }: Pick<Refs, 'madeAtMs'>, nowMs: number): number {
  return Math.min(Math.max((nowMs - madeAtMs) / 2, lookAgainMs.least), lookAgainMs.most);
}

/**
 * The results without failures that come too soon: what is not there may just not show yet. Waits look again; calls
 * are done again as a whole, and find what they have made.
 * @throws NotVisibleYetError in calls
 */
export function onlyCertain(
  results: readonly AssetResult[],
  assets: readonly Asset[],
  mode: 'call' | 'wait',
  context: ConsistencyContext,
): AssetResult[] {
  return results.flatMap((result) => {
    if (result.outcome !== 'failed' || !result.missing) return [result];
    const { refs = {} } = assets.find(({ key }) => key === result.key) ?? {};
    if (mode === 'call') mustBeOld(result.message, refs, context);
    return isYoung(refs, context) ? [] : [keepMissing(result)];
  });
}

/**
 * Keeps ids that were paid for and do not show, so that the next run looks for them before it pays again
 * (`activities/missing.ts`).
 */
function keepMissing(result: Failed): AssetResult {
  const { missing: _missing, forget = [], ...rest } = result;
  return forget.length === 0 ? rest : { ...rest, refs: { ...rest.refs, missing: forget } };
}
