// Decides when a source counts as unchanged: same size and time, same ETag, or same properties on the platform, as one
// short token.
import type { Entry } from '../../connectors/connector.ts';
import type { AssetSource } from '../../plan/types.ts';
import { withoutUndefined } from '../../plan/without-undefined.ts';
import { hashOf } from '../objects/object-name.ts';

/**
 * `<size>-<time>` in base 36, or `<size>-e` and a hash of the ETag. After a dot follows the time at which the store itself
 * saw the last change, if the store knows it. A different store time is a reason to compare the content, but not another
 * version by itself.
 */
function versionOf(entry: Entry): string {
  return withMark(looksOf(entry), entry.changedMs);
}

/** The part of a version that the writer of the file controls. */
export function looksOf({ bytes, mtimeMs, etag }: Entry): string {
  const rest = etag === undefined ? mtimeMs.toString(36) : `e${hashOf(etag).slice(0, 24)}`;
  return `${bytes.toString(36)}-${rest}`;
}

export function withMark(looks: string, changedMs: number | undefined): string {
  return changedMs === undefined ? looks : `${looks}.${changedMs.toString(36)}`;
}

/** The version of a file with the same size and time whose content differs. */
export function versionOfContent(version: string, sha256: string): string {
  return `${partsOf(version).looks}.x${sha256.slice(0, 8)}`;
}

const ofContent = /^x[0-9a-f]{8}$/;

function partsOf(version: string): { looks: string; mark: string | undefined } {
  const [looks = '', mark] = version.split('.');
  return { looks, mark };
}

/** The size in a version; null if the version has another form. */
export function bytesOfVersion(version: string): number | null {
  const match = /^([0-9a-z]+)-/.exec(version);
  return match?.[1] === undefined ? null : Number.parseInt(match[1], 36);
}

/**
 * ETag and change time as far as a file's version has them. The ETag is the hash in the version, not the store's own ETag.
 */
export function marksOfVersion(version: string): Pick<Entry, 'etag' | 'changedMs'> {
  const { looks, mark } = partsOf(version);
  const etag = /-(e[0-9a-f]{24})$/.exec(looks)?.[1];
  const changedMs =
    mark === undefined || ofContent.test(mark) ? undefined : Number.parseInt(mark, 36);
  return withoutUndefined({ etag, changedMs });
}

export function sourceOf(entry: Entry): AssetSource {
  const { path, bytes, mtimeMs } = entry;
  return { path, bytes, mtimeMs, version: versionOf(entry) };
}

/**
 * A platform object as the source of an asset. `shown` are the properties that can change; equal ones give equal versions.
 * Unknown `bytes` are left out of the version.
 */
export function objectSource(
  id: string,
  name: string,
  shown: readonly (string | null)[],
  bytes: number | null,
): AssetSource {
  const looks = hashOf(JSON.stringify([id, name, ...shown])).slice(0, 24);
  const version = bytes === null ? `p${looks}` : `p${looks}.${bytes.toString(36)}`;
  return { path: name, id, bytes: bytes ?? 0, mtimeMs: 0, version };
}

/** True if a version is that of a platform object. */
export function isOfObject(version: string): boolean {
  return /^p[0-9a-f]{24}(?:\.|$)/.test(version);
}

/** True if the versions are equal, or differ only in a change time that one of them lacks. */
export function isSameSource(one: string, other: string): boolean {
  const [mark, otherMark] = [partsOf(one).mark, partsOf(other).mark];
  const isKnown = mark !== undefined && otherMark !== undefined;
  return looksSame(one, other) && (!isKnown || mark === otherMark);
}

/** True if only the content, or the store's own clock, could tell the versions apart. */
export function looksSame(one: string, other: string): boolean {
  return partsOf(one).looks === partsOf(other).looks;
}

/** True if work on one version is valid for the other. */
export function isBuiltOf(before: string, now: string): boolean {
  if (before === now) return true;
  return isSameSource(before, now) && !ofContent.test(partsOf(now).mark ?? '');
}
