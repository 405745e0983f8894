// A platform of many servers: what was made a moment ago may not show on all of them yet. Pure.

import type { Refs } from '../plan/refs.ts';
import type { Asset, AssetResult } from '../plan/types.ts';
import { NotVisibleYetError } from './engine-errors.ts';

/** What was made so long ago and is not there is gone. */
const visibleAfterMs = 120_000;
const lookAgainMs = { least: 2_000, most: 15_000 };

type Failed = Extract<AssetResult, { outcome: 'failed' }>;

/** Whether the platform has made something for an asset so short a time ago that it need not show everywhere. */
export function isYoung({ madeAtMs }: Pick<Refs, 'madeAtMs'>, nowMs: number): boolean {
  return madeAtMs !== undefined && nowMs - madeAtMs < visibleAfterMs;
}

/**
 * What is not there may just not show yet where something was made a moment ago: to take it for gone would be
 * to make it once more.
 * @throws NotVisibleYetError
 */
export function mustBeOld(what: string, refs: Pick<Refs, 'madeAtMs'>, nowMs: number): void {
  if (isYoung(refs, nowMs)) throw new NotVisibleYetError(what, lookAgainAfterMs(refs, nowMs));
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
  nowMs: number,
): AssetResult[] {
  return results.flatMap((result) => {
    if (result.outcome !== 'failed' || !result.missing) return [result];
    const { refs = {} } = assets.find(({ key }) => key === result.key) ?? {};
    if (mode === 'call') mustBeOld(result.message, refs, nowMs);
    return isYoung(refs, nowMs) ? [] : [keepMissing(result)];
  });
}

/**
 * What was paid for and does not show stays on record, so that the next run looks for it before it pays again
 * (`activities/missing.ts`).
 */
function keepMissing(result: Failed): AssetResult {
  const { missing: _missing, forget = [], ...rest } = result;
  return forget.length === 0 ? rest : { ...rest, refs: { ...rest.refs, missing: forget } };
}
