// One bad id must not poison a call of fifty: a refused call is split in halves until the bad one
// stands alone.
import { ResponseShapeError } from '../../api/errors.ts';
import { contentOrMissing, refusalOf } from '../../api/refusal.ts';
import { failRefused } from '../../failures/fail.ts';
import type { Refs } from '../../plan/refs.ts';
import type { Asset, AssetResult } from '../../plan/types.ts';
import { unreadableOf } from '../unreadable.ts';
import { type ConsistencyContext, mustBeOld } from '../visibility.ts';

/**
 * Calls `send` for all assets; where the platform refuses the content, for each half, and so on.
 * `send` derives its idempotency key from the assets it gets, so every part has its own. `named` are the refs
 * that the request named: where one of them is not there any more (404), a later run must not name them again.
 * A refusal of another kind says nothing against them, and making them anew would be paid for.
 * @throws NotVisibleYetError where what is not there may have been made a moment ago
 */
export async function splitCall<A extends Asset>(
  assets: readonly A[],
  send: (part: readonly A[]) => Promise<AssetResult[]>,
  context: ConsistencyContext,
  named: (keyof Refs)[] = [],
): Promise<AssetResult[]> {
  if (assets.length === 0) return [];
  try {
    return await send(assets);
  } catch (error) {
    const [only, ...others] = assets;
    const isAlone = only !== undefined && others.length === 0;
    // An answer about one asset that cannot be read must not fail others.
    if (isAlone && error instanceof ResponseShapeError) return [unreadableOf(only.key, error)];
    const refusal = refusalOf(error, contentOrMissing);
    if (refusal === null) throw error;
    const isMissing = refusal.blames === 'missing';
    // Halves of the call would not find it either.
    if (isMissing) mustBeOld(refusal.error.message, youngest(assets), context);
    if (isAlone) {
      const missing = isMissing ? { forget: named, missing: true as const } : {};
      return [failRefused(refusal.error, only.key, missing)];
    }
    const middle = Math.ceil(assets.length / 2);
    return [
      ...(await splitCall(assets.slice(0, middle), send, context, named)),
      ...(await splitCall(assets.slice(middle), send, context, named)),
    ];
  }
}

function youngest(assets: readonly Asset[]): Pick<Refs, 'madeAtMs'> {
  return { madeAtMs: Math.max(...assets.map(({ refs }) => refs.madeAtMs ?? 0)) };
}
