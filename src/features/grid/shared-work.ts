// Shares a step's work between cells: a model's work for all its cells, a colorway's for all its views. Pure.

import { groupBy } from '../../plan/helpers/group-by.ts';
import { omitUndefined } from '../../plan/helpers/omit-undefined.ts';
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

/**
 * Creates one representative for each group of cells with the same leading positions. The representative has the ids
 * that all cells of the group share, from the cell that has progressed furthest.
 * @param dimensions number of leading positions to compare. With 0, there is one representative per model
 */
export function shareWork(assets: readonly StepAsset[], dimensions: number): SharedWork {
  const dimensionIds = (assets[0]?.source.cell?.positions ?? [])
    .slice(0, dimensions)
    .flatMap(({ dimension }) => findDimension(dimension).ids ?? []);
  const names = dimensionIds.flatMap(({ sharedIds }) => sharedIds);
  const idsOf = ({ platformIds }: StepAsset): PlatformIds => ({
    ...modelIdsOf(platformIds),
    ...omitUndefined(Object.fromEntries(names.map((name) => [name, platformIds[name]]))),
  });
  const stages = dimensionIds.toReversed().flatMap(({ progress }) => progress);
  const groups = groupBy(assets, (asset) => sharedKeyOf(asset, dimensions));
  const representativeByKey = new Map(
    [...groups].flatMap(([key, cells]) => {
      const [first] = cells;
      if (first === undefined) return [];
      const memberIds = cells.map(idsOf);
      const ids = [...stages, ...modelProgress].map((isReached) => memberIds.find(isReached));
      const platformIds = ids.find((idsOfMember) => idsOfMember !== undefined) ?? {};
      const source = sharedSource(first.source, dimensions);
      return [[key, { ...first, key, source, platformIds, cells }] as const];
    }),
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

function sharedSource({ cell, ...source }: StepAsset['source'], dimensions: number) {
  if (cell === undefined || dimensions === 0) return source;
  return { ...source, cell: { ...cell, positions: cell.positions.slice(0, dimensions) } };
}

const modelProgress = [
  ({ modelId }: PlatformIds) => Boolean(modelId),
  ({ uploadStarted }: PlatformIds) => Boolean(uploadStarted),
];

function modelIdsOf(platformIds: PlatformIds): PlatformIds {
  const { category = null, drawn, uploadStarted, missingIds, lastCreatedAtMs } = platformIds;
  return {
    ...modelIdRules.uploadIds(platformIds, category),
    ...omitUndefined({ drawn, uploadStarted, missingIds, lastCreatedAtMs }),
  };
}

/** Returns the result of a group member. A member that was added later also gets the ids of the other members. */
function spreadResult(
  result: AssetResult,
  { key, platformIds }: StepAsset,
  knownIds: PlatformIds = {},
): AssetResult {
  if (result.outcome === 'pruned') return { ...result, key };
  const { uploadStarted: _uploadStarted, missingIds: _missingIds, ...givenIds } = knownIds;
  const newIds = { ...missingIdsOf(platformIds, givenIds), ...result.platformIds };
  return Object.keys(newIds).length > 0
    ? { ...result, key, platformIds: newIds }
    : { ...result, key };
}

function missingIdsOf(platformIds: PlatformIds, givenIds: PlatformIds): PlatformIds {
  const isSameId = (name: string, value: unknown) =>
    JSON.stringify(Reflect.get(platformIds, name)) === JSON.stringify(value);
  return Object.fromEntries(
    Object.entries(givenIds).filter(([name, value]) => !isSameId(name, value)),
  );
}
