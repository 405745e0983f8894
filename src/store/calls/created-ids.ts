// Ids that calls have created for an asset, which a run that died or was cancelled could not pass on. Pure.

import { mergeCreatedIds } from '../../plan/duplicate-warnings.ts';
import type { CellSource } from '../../plan/grid.ts';
import type { PlatformIds } from '../../plan/platform-ids.ts';
import { callKeysOf, modelKeyOf } from '../records/cell-keys.ts';
import type { IdRules } from '../records/id-rules.ts';
import type { Intent } from './intents.ts';

/**
 * Returns the ids that finished calls have returned. Ids under the asset's own key take precedence over shared ones,
 * and later ids over earlier ones. Empty if none of these ids is in `FeatureIdRules.createdFields` (project, render
 * job, colorway, production file), because the file may not have been uploaded if only the model was created.
 * @param calls oldest first
 * @param sinceMs epoch ms. Only later responses count
 */
export function findCreatedIds(
  asset: { key: string; source: CellSource },
  calls: readonly Pick<Intent, 'state' | 'result'>[],
  idRules: IdRules,
  sinceMs = Number.NEGATIVE_INFINITY,
): PlatformIds {
  let platformIds: PlatformIds = {};
  // A cell also takes ids recorded under keys that it shares with other cells, except the key of the model.
  const names = callKeysOf(asset).filter(
    (name) => name === asset.key || name !== modelKeyOf(asset),
  );
  for (const name of names.toReversed()) {
    for (const { state, result } of calls) {
      const createdIds = result?.[name];
      if (createdIds?.idConflict !== undefined) continue;
      if (state === 'done' && (createdIds?.lastCreatedAtMs ?? 0) > sinceMs)
        platformIds = mergeCreatedIds(platformIds, createdIds ?? {});
    }
  }
  return idRules.hasCreated(platformIds) ? platformIds : {};
}

/** Finds the ids that calls have created for an asset after its known ids. */
export function findUnreportedIds(
  asset: Parameters<typeof findCreatedIds>[0] & { platformIds: PlatformIds },
  calls: readonly Intent[],
  idRules: IdRules,
): PlatformIds {
  return findCreatedIds(asset, calls, idRules, asset.platformIds.lastCreatedAtMs ?? 0);
}
