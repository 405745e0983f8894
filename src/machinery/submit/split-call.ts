// One bad id must not poison a call of fifty: a refused call is split in halves until the bad one
// stands alone.
import { ApiError, ResponseShapeError } from '../../api/errors.ts';
import type { Asset, AssetResult, Refs } from '../../plan/types.ts';
import type { NodeContext } from '../node-context.ts';
import { unreadableOf } from '../unreadable.ts';
import { mustBeOld } from '../visibility.ts';

/** 400 and 404 blame the request's content; everything else is not about one of many. */
export function blamesContent(error: unknown): error is ApiError {
  return error instanceof ApiError && (error.status === 400 || error.status === 404);
}

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
  context: Pick<NodeContext, 'now'>,
  named: (keyof Refs)[] = [],
): Promise<AssetResult[]> {
  if (assets.length === 0) return [];
  try {
    return await send(assets);
  } catch (error) {
    const [only, ...others] = assets;
    const isAlone = only !== undefined && others.length === 0;
    // What was made of one asset, and cannot be read, is no trouble of others.
    if (isAlone && error instanceof ResponseShapeError) return [unreadableOf(only.key, error)];
    if (!blamesContent(error)) throw error;
    // Halves of the call would not find it either.
    if (error.status === 404) mustBeOld(error.message, youngest(assets), context.now());
    if (isAlone) {
      const { code, detail: message, status } = error;
      const missing = status === 404 ? { forget: named, missing: true as const } : {};
      return [{ key: only.key, outcome: 'failed', code, message, ...missing }];
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
