// Earlier versions of a file. Their records stay until their resources are deleted, so a crash loses nothing.
import type { FinalizedAsset, PlatformResource } from '../../plan/contract/contract.ts';
import { mapBounded } from '../objects/map-bounded.ts';
import { parseRecordName, recordName } from '../objects/object-name.ts';
import { assetRecipeOf } from '../records/asset-recipe.ts';
import { isSameVersion } from '../records/records.ts';
import { excludeResources, findSupersededResources } from '../records/superseded-resources.ts';
import type { RunAsset } from './run-assets.ts';
import type { RunStore } from './run-store.ts';

/** Resources that could not be deleted. */
export interface RemainingResources {
  resources: readonly PlatformResource[];
  reason: string;
  /** True if the deletion was only interrupted, so that the next run that takes the file deletes the resources. */
  isRetriedNextRun: boolean;
}

/** Deletes platform resources. Returns null if all of them are deleted, and throws errors that should be retried. */
export type DeleteResources = (
  resources: readonly PlatformResource[],
) => Promise<RemainingResources | null>;

export interface OldVersions {
  asset: FinalizedAsset;
  records: string[];
  /** Resources of these versions, in the order of deletion. */
  resources: PlatformResource[];
  /** True if the asset's claim contains some of the resources. */
  isInClaim: boolean;
  /** True if an earlier attempt has deleted the resources. */
  areDeleted: boolean;
}

/** Maximum number of concurrent deletions for one part of a shard. Low, since the work of open assets matters more. */
export const maxConcurrentDeletions = 4;

/** Returns the resources of a file's older versions, or null if none are to be deleted. */
export async function findOldVersions(
  { records, claims, context }: RunStore,
  asset: FinalizedAsset,
  { reason, previous = [] }: Pick<RunAsset, 'reason' | 'previous'>,
): Promise<OldVersions | null> {
  // Record names show whether only the recipe differs. In that case no record is read.
  const isOther = (name: string) => !isRecordOfVersion(name, asset.source.version);
  if (reason === 'new' || (reason === 'recipe' && !previous.some(isOther))) return null;
  const { key, source } = asset;
  const ownName = recordName(key, source.version, assetRecipeOf(context.recipe, source));
  const names = previous.filter((name) => name !== ownName);
  const readings = await mapBounded(names, (name) => records.read(name));
  const earlierRecords = readings.filter((record) => record !== null);
  const claim = await claims.read(key);
  const undeliveredResources = claim?.run === context.run ? (claim.undeliveredResources ?? []) : [];
  const supersededResources = findSupersededResources(asset, earlierRecords, undeliveredResources);
  // An earlier attempt may have deleted some of the resources, but the new record still lists them.
  const newRecord = await records.read(ownName);
  const listedResources = newRecord?.run === context.run ? (newRecord.superseded ?? []) : [];
  const resources = [...listedResources, ...excludeResources(supersededResources, listedResources)];
  if (resources.length === 0) return null;
  return {
    asset,
    records: names,
    resources,
    isInClaim: undeliveredResources.length > 0,
    areDeleted: earlierRecords.length === 0 && undeliveredResources.length === 0,
  };
}

export function isRecordOfVersion(name: string, version: string): boolean {
  const nameParts = parseRecordName(name);
  return nameParts !== null && isSameVersion(nameParts, version);
}

/** Deletes the resources of old versions. If none remains, also deletes their records and releases the claim. */
export async function deleteOldVersions(
  store: RunStore,
  oldVersions: OldVersions,
  deleteResources: DeleteResources,
): Promise<RemainingResources | null> {
  const remainingResources = oldVersions.areDeleted
    ? null
    : await deleteResources(oldVersions.resources);
  if (remainingResources === null) await forgetOldVersions(store, oldVersions);
  return remainingResources;
}

/** Deletes the records, then releases the claim, so that another run cannot take the asset earlier. */
export async function forgetOldVersions(
  { records, claims }: RunStore,
  { asset, records: names }: OldVersions,
): Promise<void> {
  for (const name of names) await records.remove(name);
  await claims.release(asset.key);
}

/** Leaves the versions to the next run that takes the file. That run finds them through their records or the claim. */
export async function keepOldVersions(
  { claims }: RunStore,
  { asset, isInClaim }: OldVersions,
  shard: number,
): Promise<void> {
  const { key, source } = asset;
  if (isInClaim) await claims.markFree({ key, version: source.version, shard }, 'cancelled', null);
  else await claims.release(key);
}

/** Returns the asset as the run reports it, with its deletions. */
export function withDeletions(
  { asset, resources }: OldVersions,
  remainingResources: RemainingResources | null,
): FinalizedAsset {
  if (remainingResources === null) return { ...asset, deleted: resources };
  const warnings = [...asset.warnings, warningOf(remainingResources)];
  const deleted = excludeResources(resources, remainingResources.resources);
  return { ...asset, warnings, ...(deleted.length > 0 ? { deleted } : {}) };
}

function warningOf({ resources, reason, isRetriedNextRun }: RemainingResources): string {
  const names = resources.map(({ kind, id }) => `${kind} ${id}`).join(' and ');
  const [were, them] = resources.length === 1 ? ['was', 'it'] : ['were', 'them'];
  const statement = `${names} of the previous version of the file ${were} not deleted`;
  return isRetriedNextRun
    ? `${statement}, because ${reason}; the next run that processes the file deletes ${them}`
    : `${statement}: ${reason}; to find ${them}, run \`renderline clean\``;
}
