// Shares a step's work between cells: a model's work for all its cells, a colorway's for all its views. Pure.

import { groupBy } from '../../plan/helpers/group-by.ts';
import { withoutUndefined } from '../../plan/helpers/without-undefined.ts';
import type { PlatformIds } from '../../plan/platform-ids.ts';
import type { AssetResult, StepAsset } from '../../plan/types.ts';
import { sharedKeyOf } from '../../store/records/cell-keys.ts';
import { modelIdRules } from '../models/platform-ids.ts';
import { findDimension } from './dimensions.ts';

export interface SharedWork {
  /** One representative asset per group, under the group's key. */
  representatives: StepAsset[];
  /** Expands results of the representatives to results of all assets. */
  toAssetResults: (results: readonly AssetResult[]) => AssetResult[];
}

interface SharingLevel {
  keyOf: (asset: StepAsset) => string;
  /** The platform ids that belong to all cells that share the work. */
  idsOf: (asset: StepAsset) => PlatformIds;
  sourceOf: (source: StepAsset['source']) => StepAsset['source'];
  /** Stages of progress, furthest first. The representative gets the ids of a cell that has progressed furthest. */
  progress: readonly ((platformIds: PlatformIds) => boolean)[];
}

/** Creates one representative for each group of cells with the same leading positions.
 * @param dimensions number of leading positions to compare; 0: one representative per model */
export function shareWork(assets: readonly StepAsset[], dimensions: number): SharedWork {
  const dimensionIds = (assets[0]?.source.cell?.positions ?? [])
    .slice(0, dimensions)
    .flatMap(({ dimension }) => findDimension(dimension).ids ?? []);
  const names = dimensionIds.flatMap(({ sharedIds }) => sharedIds);
  return shareAtLevel(assets, {
    keyOf: (asset) => sharedKeyOf(asset, dimensions),
    idsOf: ({ platformIds }) => ({
      ...modelLevelIds(platformIds),
      ...withoutUndefined(Object.fromEntries(names.map((name) => [name, platformIds[name]]))),
    }),
    sourceOf: ({ cell, ...source }) =>
      cell === undefined || dimensions === 0
        ? source
        : { ...source, cell: { ...cell, positions: cell.positions.slice(0, dimensions) } },
    progress: [...dimensionIds.toReversed().flatMap(({ progress }) => progress), ...modelProgress],
  });
}

const modelProgress = [
  ({ modelId }: PlatformIds) => Boolean(modelId),
  ({ uploadStarted }: PlatformIds) => Boolean(uploadStarted),
];

function shareAtLevel(assets: readonly StepAsset[], level: SharingLevel): SharedWork {
  const groups = groupBy(assets, level.keyOf);
  const representativeByKey = new Map(
    [...groups].map(([key, assetsOfGroup]) => [key, representativeOf(key, assetsOfGroup, level)]),
  );
  return {
    representatives: [...representativeByKey.values()],
    toAssetResults: (results) => {
      // A result under the key of a group member applies only to that member.
      const single = new Map(
        results.flatMap((result) =>
          representativeByKey.has(result.key) ? [] : [[result.key, result]],
        ),
      );
      return results.flatMap((result) => {
        const knownIds = representativeByKey.get(result.key)?.platformIds;
        return (groups.get(result.key) ?? []).map(
          (asset) => single.get(asset.key) ?? spreadResult(result, asset, knownIds),
        );
      });
    },
  };
}

function representativeOf(
  key: string,
  assets: readonly StepAsset[],
  { idsOf, sourceOf, progress }: SharingLevel,
) {
  const memberIds = assets.map(idsOf);
  const best = progress
    .map((isReached) => memberIds.find(isReached))
    .find((ids) => ids !== undefined);
  const [first] = assets;
  if (first === undefined) throw new RangeError('a group has an asset');
  const source = sourceOf(first.source);
  return { ...first, key, source, platformIds: best ?? {}, cells: assets };
}

function modelLevelIds(platformIds: PlatformIds): PlatformIds {
  const { category = null, drawn, uploadStarted, missingIds, lastCreatedAtMs } = platformIds;
  return {
    ...modelIdRules.uploadIds(platformIds, category),
    ...withoutUndefined({ drawn, uploadStarted, missingIds, lastCreatedAtMs }),
  };
}

/** The result of one member of a group. A member that was added later also gets the ids of the other members. */
function spreadResult(
  result: AssetResult,
  { key, platformIds }: StepAsset,
  knownIds: PlatformIds = {},
): AssetResult {
  if (result.outcome === 'pruned') return { ...result, key };
  const { uploadStarted: _uploadStarted, missingIds: _missingIds, ...givenIds } = knownIds;
  const newIds = { ...missingFrom(platformIds, givenIds), ...result.platformIds };
  return Object.keys(newIds).length > 0
    ? { ...result, key, platformIds: newIds }
    : { ...result, key };
}

function missingFrom(platformIds: PlatformIds, givenIds: PlatformIds): PlatformIds {
  const isSame = (name: string, value: unknown) =>
    JSON.stringify(Reflect.get(platformIds, name)) === JSON.stringify(value);
  return Object.fromEntries(
    Object.entries(givenIds).filter(([name, value]) => !isSame(name, value)),
  );
}
