// Shares the work of a step between assets: a model's work is done once for all its colorways, a colorway's work once for all its
// views. Pure.

import { groupBy } from '../../../plan/helpers/group-by.ts';
import { withoutUndefined } from '../../../plan/helpers/without-undefined.ts';
import type { PlatformIds } from '../../../plan/platform-ids.ts';
import type { AssetResult, StepAsset } from '../../../plan/types.ts';
import { modelKeyOf, viewedKeyOf } from '../../../store/records/cell-keys.ts';
import { modelIdSlice } from '../../models/platform-ids.ts';

export interface SharedWork {
  /** One representative asset per group, under the group's key. */
  shared: StepAsset[];
  /** Expands results of the representatives to results of all assets. */
  spread: (results: readonly AssetResult[]) => AssetResult[];
}

/** One representative per model. */
export function shareByModel(assets: readonly StepAsset[]): SharedWork {
  return shareWork(assets, {
    keyOf: modelKeyOf,
    refsOf: modelLevelIds,
    sourceOf: ({ colorway: _colorway, view: _view, ...source }) => source,
  });
}

/** One representative for all views of a colorway. */
export function shareByViews(assets: readonly StepAsset[]): SharedWork {
  return shareWork(assets, {
    keyOf: viewedKeyOf,
    refsOf: colorwayLevelIds,
    sourceOf: ({ view: _view, ...source }) => source,
  });
}

interface SharingLevel {
  keyOf: (asset: StepAsset) => string;
  /** The platform ids that belong to the whole group. */
  refsOf: (platformIds: PlatformIds) => PlatformIds;
  sourceOf: (source: StepAsset['source']) => StepAsset['source'];
}

function shareWork(assets: readonly StepAsset[], level: SharingLevel): SharedWork {
  const groups = groupBy(assets, level.keyOf);
  const shared = new Map(
    [...groups].map(([key, some]) => [key, representativeOf(key, some, level)]),
  );
  return {
    shared: [...shared.values()],
    spread: (results) => {
      // A result under the key of a group member applies only to that member.
      const single = new Map(
        results.flatMap((result) => (shared.has(result.key) ? [] : [[result.key, result]])),
      );
      return results.flatMap((result) => {
        const known = shared.get(result.key)?.platformIds;
        return (groups.get(result.key) ?? []).map(
          (asset) => single.get(asset.key) ?? spreadResult(result, asset, known),
        );
      });
    },
  };
}

/** The representative has the platform ids of the member that has progressed furthest. */
function representativeOf(
  key: string,
  assets: readonly StepAsset[],
  { refsOf, sourceOf }: SharingLevel,
) {
  const platformIds = assets.map((asset) => refsOf(asset.platformIds));
  const best =
    platformIds.find(({ variants }) => variants) ??
    platformIds.find(({ colorway }) => colorway?.batchId !== undefined) ??
    platformIds.find(({ modelId }) => modelId) ??
    platformIds.find(({ uploadStarted }) => uploadStarted) ??
    {};
  const [first] = assets;
  if (first === undefined) throw new RangeError('a group has an asset');
  return { ...first, key, source: sourceOf(first.source), platformIds: best, cells: assets };
}

function modelLevelIds(platformIds: PlatformIds): PlatformIds {
  const { category = null, drawn, uploadStarted, missingIds, lastCreatedAtMs } = platformIds;
  return {
    ...modelIdSlice.uploadIds(platformIds, category),
    ...withoutUndefined({ drawn, uploadStarted, missingIds, lastCreatedAtMs }),
  };
}

/** Platform ids of the model in its colorway. */
function colorwayLevelIds(platformIds: PlatformIds): PlatformIds {
  const { colorway, variants, variantName, templateId } = platformIds;
  const ofColorway = withoutUndefined({ colorway, variants, variantName, templateId });
  return { ...modelLevelIds(platformIds), ...ofColorway };
}

/** A member that was added later also gets the ids that the others have already. */
function spreadResult(
  result: AssetResult,
  { key, platformIds }: StepAsset,
  known: PlatformIds = {},
): AssetResult {
  if (result.outcome === 'pruned') return { ...result, key };
  const { uploadStarted: _begun, missingIds: _missing, ...given } = known;
  const more = { ...missingFrom(platformIds, given), ...result.platformIds };
  return Object.keys(more).length > 0 ? { ...result, key, platformIds: more } : { ...result, key };
}

function missingFrom(platformIds: PlatformIds, given: PlatformIds): PlatformIds {
  const isSame = (name: string, value: unknown) =>
    JSON.stringify(Reflect.get(platformIds, name)) === JSON.stringify(value);
  return Object.fromEntries(Object.entries(given).filter(([name, value]) => !isSame(name, value)));
}
