// The consistency window: what was created a moment ago may not be visible on all servers of the platform yet. Pure.

import type { Client } from '../api/client.ts';
import type { Refs } from '../plan/refs.ts';
import type { Asset, AssetResult } from '../plan/types.ts';
import { NotVisibleYetError } from './engine-errors.ts';

const lookAgainMs = { least: 2_000, most: 15_000 };

/** The consistency window of the platform, and its time. */
export interface ConsistencyContext {
  readonly client: Pick<Client, 'consistencyMs'>;
  now(): number;
}

type Failed = Extract<AssetResult, { outcome: 'failed' }>;

/** True if the platform created something for the asset so recently that it may not be visible everywhere. */
export function isYoung(
  { madeAtMs }: Pick<Refs, 'madeAtMs'>,
  context: ConsistencyContext,
): boolean {
  return madeAtMs !== undefined && context.now() - madeAtMs < context.client.consistencyMs;
}

/**
 * Asserts that a missing resource is really missing, and not just invisible for now: it would be created twice.
 * @throws NotVisibleYetError inside the consistency window
 */
export function mustBeOld(
  what: string,
  refs: Pick<Refs, 'madeAtMs'>,
  context: ConsistencyContext,
): void {
  if (!isYoung(refs, context)) return;
  throw new NotVisibleYetError(what, lookAgainAfterMs(refs, context.now()));
}

/** Most delays are short, so the first retries come soon. */
function lookAgainAfterMs({ madeAtMs = 0 }: Pick<Refs, 'madeAtMs'>, nowMs: number): number {
  return Math.min(Math.max((nowMs - madeAtMs) / 2, lookAgainMs.least), lookAgainMs.most);
}

/**
 * Removes failures about missing resources inside the consistency window. A wait polls those assets again. A call is
 * retried as a whole and finds what it has created.
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

/** Keeps ids that were paid for but are missing, so that the next run searches for them before it pays again (`activities/missing.ts`). */
function keepMissing(result: Failed): AssetResult {
  const { missing: _missing, forget = [], ...rest } = result;
  return forget.length === 0 ? rest : { ...rest, refs: { ...rest.refs, missing: forget } };
}
