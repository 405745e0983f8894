// Finds the ids that calls have created for an asset. A run that died, or was cancelled before its step reported, could not
// pass these ids on. Pure.

import type { Refs } from '../../plan/refs.ts';
import type { AssetSource } from '../../plan/types.ts';
import { viewedKeyOf } from '../records/asset-names.ts';
import type { RefBook } from '../records/ref-book.ts';
import type { Intent } from './intents.ts';

/**
 * The ids that finished calls have returned; later calls replace earlier ones. Empty if no resource was created for the
 * asset itself: a model alone may never have been uploaded.
 * @param calls oldest first
 * @param sinceMs epoch ms; earlier responses are left out
 */
export function madeFor(
  asset: { key: string; source: Pick<AssetSource, 'colorway' | 'view'> },
  calls: readonly Pick<Intent, 'state' | 'answer'>[],
  book: RefBook,
  sinceMs = Number.NEGATIVE_INFINITY,
): Refs {
  let refs: Refs = {};
  // Resources that all views of an asset share are recorded under the shared key.
  for (const name of new Set([viewedKeyOf(asset), asset.key])) {
    for (const { state, answer } of calls) {
      const made = answer?.[name];
      if (made?.idOfAnother !== undefined) continue;
      if (state === 'done' && (made?.madeAtMs ?? 0) > sinceMs) refs = { ...refs, ...made };
    }
  }
  return book.isMade(refs) ? refs : {};
}

/** The ids that were created for an asset since its last reported result. */
export function untoldFor(
  asset: Parameters<typeof madeFor>[0] & { refs: Refs },
  calls: readonly Intent[],
  book: RefBook,
): Refs {
  return madeFor(asset, calls, book, asset.refs.madeAtMs ?? 0);
}
