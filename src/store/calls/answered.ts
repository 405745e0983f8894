// Finds what calls have made for an asset in their answers: a run that died, or was cancelled before a result of the step
// came, could not hand it on. Pure.

import type { Refs } from '../../plan/refs.ts';
import type { AssetSource } from '../../plan/types.ts';
import { viewedKeyOf } from '../records/asset-names.ts';
import type { RefBook } from '../records/ref-book.ts';
import type { Intent } from './intents.ts';

/**
 * Refs that finished calls have yielded, later calls over earlier ones. Only of assets that something of their own was
 * made for: a model alone may never have been uploaded.
 * @param calls oldest first
 * @param sinceMs epoch ms; what was made until then is left out
 */
export function madeFor(
  asset: { key: string; source: Pick<AssetSource, 'colorway' | 'view'> },
  calls: readonly Pick<Intent, 'state' | 'answer'>[],
  book: RefBook,
  sinceMs = Number.NEGATIVE_INFINITY,
): Refs {
  let refs: Refs = {};
  // Things made for all views of an asset are under the key that the views share.
  for (const name of new Set([viewedKeyOf(asset), asset.key])) {
    for (const { state, answer } of calls) {
      const made = answer?.[name];
      if (made?.idOfAnother !== undefined) continue;
      if (state === 'done' && (made?.madeAtMs ?? 0) > sinceMs) refs = { ...refs, ...made };
    }
  }
  return book.isMade(refs) ? refs : {};
}

/** Refs made for an asset since a result last told of it. */
export function untoldFor(
  asset: Parameters<typeof madeFor>[0] & { refs: Refs },
  calls: readonly Intent[],
  book: RefBook,
): Refs {
  return madeFor(asset, calls, book, asset.refs.madeAtMs ?? 0);
}
