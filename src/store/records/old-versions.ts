// Earlier versions of a file. Their records stay until the resources that they name are deleted, so that a crash in between
// loses nothing.
import type { PlatformThing, SettledAsset } from '../../plan/contract.ts';
import { parseRecordName, recordName } from '../objects/object-name.ts';
import type { ManifestAsset } from '../runs/manifest.ts';
import type { RunStore } from '../runs/run-store.ts';
import { recipeOf } from './asset-recipe.ts';
import { isSameVersion } from './records.ts';
import { supersededBy, withoutThings } from './superseded.ts';

/** Resources that could not be deleted. */
export interface Left {
  things: readonly PlatformThing[];
  why: string;
  /** True if nothing was wrong with the deletion: the next run that takes the file deletes them. */
  later: boolean;
}

/** Deletes platform resources; returns null if all of them are deleted, and throws errors that should be retried. */
export type Remove = (things: readonly PlatformThing[]) => Promise<Left | null>;

export interface OldVersions {
  asset: SettledAsset;
  /** Names of the records of these versions. */
  records: string[];
  /** Their resources, in the order of deletion. */
  things: PlatformThing[];
  /** The asset's claim names some of the resources. */
  isInClaim: boolean;
  /** An earlier attempt has deleted them. */
  areGone: boolean;
}

/** Deletions in flight for one part of a shard; low, since the work of open assets matters more. */
export const deletionsAtOnce = 4;

/** The resources of a file's older versions; null if the newest version uses all of them. */
export async function oldVersionsOf(
  { records, claims, context }: RunStore,
  asset: SettledAsset,
  { reason, previous = [] }: Pick<ManifestAsset, 'reason' | 'previous'>,
): Promise<OldVersions | null> {
  // Record names show where only the recipe differs, so a forced run reads no records for this.
  const isOther = (name: string) => !isOfVersion(name, asset.source.version);
  if (reason === 'new' || (reason === 'recipe' && !previous.some(isOther))) return null;
  const own = recordName(asset.key, asset.source.version, recipeOf(context.recipe, asset.source));
  const names = previous.filter((name) => name !== own);
  const before = [];
  for (const name of names) {
    const record = await records.read(name);
    if (record) before.push(record);
  }
  const claim = await claims.read(asset.key);
  const leftover = claim?.run === context.run ? (claim.leftover ?? []) : [];
  const found = supersededBy(asset, before, leftover);
  // An earlier attempt may have deleted some of them; the new record still lists them.
  const begun = await records.read(own);
  const known = begun?.run === context.run ? (begun.superseded ?? []) : [];
  const things = [...known, ...withoutThings(found, known)];
  if (things.length === 0) return null;
  return {
    asset,
    records: names,
    things,
    isInClaim: leftover.length > 0,
    areGone: before.length === 0 && leftover.length === 0,
  };
}

function isOfVersion(name: string, version: string): boolean {
  const parsed = parseRecordName(name);
  return parsed !== null && isSameVersion(parsed, version);
}

/**
 * Deletes the resources of old versions, then their records. Records of resources that could not be deleted are kept for
 * now.
 */
export async function deleteOldVersions(
  store: RunStore,
  old: OldVersions,
  remove: Remove,
): Promise<Left | null> {
  const left = old.areGone ? null : await remove(old.things);
  if (left === null) await forgetOldVersions(store, old);
  return left;
}

/** Releases the claim last, so that no other run takes the asset before the records are gone. */
export async function forgetOldVersions(
  { records, claims }: RunStore,
  { asset, records: names }: OldVersions,
): Promise<void> {
  for (const name of names) await records.remove(name);
  await claims.release(asset.key);
}

/** The next run that takes the file finds these versions by their records and by its claim. */
export async function keepOldVersions(
  { claims }: RunStore,
  { asset, isInClaim }: OldVersions,
  shard: number,
): Promise<void> {
  const { key, source } = asset;
  if (isInClaim) await claims.leave({ key, version: source.version, shard }, 'cancelled', null);
  else await claims.release(key);
}

/** The asset as the run reports it, with its deletions. */
export function withDeleted({ asset, things }: OldVersions, left: Left | null): SettledAsset {
  if (left === null) return { ...asset, deleted: things };
  const warnings = [...asset.warnings, warningOf(left)];
  const deleted = withoutThings(things, left.things);
  return { ...asset, warnings, ...(deleted.length > 0 ? { deleted } : {}) };
}

function warningOf({ things, why, later }: Left): string {
  const names = things.map(({ kind, id }) => `${kind} ${id}`).join(' and ');
  const what = `${names} of the previous version of the file ${things.length === 1 ? 'was' : 'were'} not deleted`;
  return later
    ? `${what}, since ${why}; the next run that takes the file deletes ${things.length === 1 ? 'it' : 'them'}`
    : `${what}: ${why}; \`renderline clean\` finds what remains`;
}
