// A platform of many servers: what was made a moment ago may not show on all of them yet. Pure.
import type { Asset, AssetResult, Refs } from '../plan/types.ts';
import { NotVisibleYetError } from './engine-errors.ts';

/** What was made so long ago and is not there is gone. */
const visibleAfterMs = 120_000;
const lookAgainMs = { least: 2_000, most: 15_000 };

/** Whether the platform has made something for an asset so short a time ago that it need not show everywhere. */
export function isYoung({ madeAtMs }: Pick<Refs, 'madeAtMs'>, nowMs: number): boolean {
  return madeAtMs !== undefined && nowMs - madeAtMs < visibleAfterMs;
}

/** Most lags are short, so the first looks come soon. */
export function lookAgainAfterMs({ madeAtMs = 0 }: Pick<Refs, 'madeAtMs'>, nowMs: number): number {
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
  const refsOf = new Map(assets.map(({ key, refs }) => [key, refs]));
  const certain: AssetResult[] = [];
  for (const result of results) {
    const refs = refsOf.get(result.key) ?? {};
    const isEarly = result.outcome === 'failed' && result.missing === true && isYoung(refs, nowMs);
    if (!isEarly) certain.push(keepMissing(result));
    else if (mode === 'call')
      throw new NotVisibleYetError(result.message, lookAgainAfterMs(refs, nowMs));
  }
  return certain;
}

/**
 * What was paid for and does not show stays on record, so that the next run looks for it before it pays again
 * (`activities/missing.ts`).
 */
function keepMissing(result: AssetResult): AssetResult {
  if (result.outcome !== 'failed' || !result.missing) return result;
  const { missing: _missing, forget = [], ...rest } = result;
  return forget.length === 0 ? rest : { ...rest, refs: { ...rest.refs, missing: forget } };
}
