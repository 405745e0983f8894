// The versions of a file before the newest: their records stay until what they name is deleted, so that a crash
// in between forgets nothing.
import type { PlatformThing, SettledAsset } from '../../plan/contract.ts';
import { parseRecordName, recordName } from '../objects/object-name.ts';
import type { ManifestAsset } from '../runs/manifest.ts';
import type { RunStore } from '../runs/run-store.ts';
import { recipeOf } from './asset-recipe.ts';
import { isSameVersion } from './records.ts';
import { supersededBy, withoutThings } from './superseded.ts';

/** Things that could not be deleted. */
export interface Left {
  things: readonly PlatformThing[];
  why: string;
  /** True where nothing was wrong with it: the next run that takes the file is to do it. */
  later: boolean;
}

/** Deletes things of the platform; null when all are gone. Throws what is to be tried again. */
export type Remove = (things: readonly PlatformThing[]) => Promise<Left | null>;

export interface OldVersions {
  asset: SettledAsset;
  /** Names of their records. */
  records: string[];
  /** All that they had become, in the order of deleting. */
  things: PlatformThing[];
  /** Some of it only the asset's claim knows of. */
  isInClaim: boolean;
  /** An attempt before this one has deleted it. */
  areGone: boolean;
}

/** Deletions of one part of a shard in flight: what counts is the work of the assets that still go. */
export const deletionsAtOnce = 4;

/** Things of a file's older versions; null where its newest version uses them all. */
export async function oldVersionsOf(
  { records, claims, context }: RunStore,
  asset: SettledAsset,
  { reason, previous = [] }: Pick<ManifestAsset, 'reason' | 'previous'>,
): Promise<OldVersions | null> {
  // The names of records tell where only the recipe differs, so doing everything again reads nothing more.
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
  // An attempt before this one may have deleted some: the new record still knows what.
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

/** Deletes what old versions had become, then their records; what is left over keeps its records so far. */
export async function deleteOldVersions(
  store: RunStore,
  old: OldVersions,
  remove: Remove,
): Promise<Left | null> {
  const left = old.areGone ? null : await remove(old.things);
  if (left === null) await forgetOldVersions(store, old);
  return left;
}

/** The asset is free only then: nobody may take it up in between. */
export async function forgetOldVersions(
  { records, claims }: RunStore,
  { asset, records: names }: OldVersions,
): Promise<void> {
  for (const name of names) await records.remove(name);
  await claims.release(asset.key);
}

/** Whoever takes the file next finds them by their records, and by its claim. */
export async function keepOldVersions(
  { claims }: RunStore,
  { asset, isInClaim }: OldVersions,
  shard: number,
): Promise<void> {
  const { key, source } = asset;
  if (isInClaim) await claims.leave({ key, version: source.version, shard }, 'cancelled', null);
  else await claims.release(key);
}

/** The asset as its run tells of it. */
export function withDeleted({ asset, things }: OldVersions, left: Left | null): SettledAsset {
  if (left === null) return { ...asset, deleted: things };
  const warnings = [...asset.warnings, warningOf(left)];
  const deleted = withoutThings(things, left.things);
  return { ...asset, warnings, ...(deleted.length > 0 ? { deleted } : {}) };
}

function warningOf({ things, why, later }: Left): string {
  const names = things.map(({ kind, id }) => `${kind} ${id}`).join(' and ');
  const what = `${names} of the file before ${things.length === 1 ? 'was' : 'were'} not deleted`;
  return later
    ? `${what}, since ${why}; the next run that takes the file does it`
    : `${what}: ${why}; renderline clean finds what is left`;
}
