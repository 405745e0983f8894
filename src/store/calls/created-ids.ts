// Finds the ids that calls have created for an asset. A run that died, or was cancelled before its step reported, could not
// pass these ids on. Pure.

import type { PlatformIds } from '../../plan/platform-ids.ts';
import type { AssetSource } from '../../plan/types.ts';
import { viewedKeyOf } from '../records/cell-keys.ts';
import type { IdRules } from '../records/id-rules.ts';
import type { Intent } from './intents.ts';

/**
 * The ids that finished calls have returned; later calls replace earlier ones. Empty if no resource was created for the
 * asset itself: a model alone may never have been uploaded.
 * @param calls oldest first
 * @param sinceMs epoch ms; earlier responses are left out
 */
export function createdIdsOf(
  asset: { key: string; source: Pick<AssetSource, 'colorway' | 'view'> },
  calls: readonly Pick<Intent, 'state' | 'result'>[],
  idRules: IdRules,
  sinceMs = Number.NEGATIVE_INFINITY,
): PlatformIds {
  let platformIds: PlatformIds = {};
  // Resources that all views of an asset share are recorded under the shared key.
  for (const name of new Set([viewedKeyOf(asset), asset.key])) {
    for (const { state, result } of calls) {
      const made = result?.[name];
      if (made?.idConflict !== undefined) continue;
      if (state === 'done' && (made?.lastCreatedAtMs ?? 0) > sinceMs)
        platformIds = { ...platformIds, ...made };
    }
  }
  return idRules.hasCreated(platformIds) ? platformIds : {};
}

/** The ids that were created for an asset since its last reported result. */
export function unreportedIdsOf(
  asset: Parameters<typeof createdIdsOf>[0] & { platformIds: PlatformIds },
  calls: readonly Intent[],
  idRules: IdRules,
): PlatformIds {
  return createdIdsOf(asset, calls, idRules, asset.platformIds.lastCreatedAtMs ?? 0);
}
