// Decides when a source counts as unchanged (size and time, ETag, or properties on the platform), as a short token.
import type { Entry } from '../../connectors/connector.ts';
import { omitUndefined } from '../../plan/helpers/omit-undefined.ts';
import type { AssetSource } from '../../plan/types.ts';
import { hashOf } from '../objects/object-name.ts';

/**
 * `<size>-<time>` in base 36, or `<size>-e` and a hash of the ETag. If the store itself knows the time of the last
 * change, it follows after a dot. If only that time differs, the version is not new, but the content must be compared.
 */
function versionOf(entry: Entry): string {
  return withChangeTime(baseVersionOf(entry), entry.changedMs);
}

/** Returns a version without the change time that the store itself knows. */
export function baseVersionOf({ bytes, mtimeMs, etag }: Entry): string {
  const stamp = etag === undefined ? mtimeMs.toString(36) : `e${hashOf(etag).slice(0, 24)}`;
  return `${bytes.toString(36)}-${stamp}`;
}

export function withChangeTime(base: string, changedMs: number | undefined): string {
  return changedMs === undefined ? base : `${base}.${changedMs.toString(36)}`;
}

/** Returns the version of a file with the same size and time whose content differs. */
export function contentVersionOf(version: string, sha256: string): string {
  return `${parseVersion(version).base}.x${sha256.slice(0, 8)}`;
}

const ofContent = /^x[0-9a-f]{8}$/;

function parseVersion(version: string): { base: string; suffix: string | undefined } {
  const [base = '', suffix] = version.split('.');
  return { base, suffix };
}

/** Returns the size in a version, or null if the version has another form. */
export function bytesOfVersion(version: string): number | null {
  const match = /^([0-9a-z]+)-/.exec(version);
  return match?.[1] === undefined ? null : Number.parseInt(match[1], 36);
}

/** Returns a version's ETag and change time, if any. The ETag is the version's hash, not the store's ETag. */
export function entryFieldsOfVersion(version: string): Pick<Entry, 'etag' | 'changedMs'> {
  const { base, suffix } = parseVersion(version);
  const etag = /-(e[0-9a-f]{24})$/.exec(base)?.[1];
  const changedMs =
    suffix === undefined || ofContent.test(suffix) ? undefined : Number.parseInt(suffix, 36);
  return omitUndefined({ etag, changedMs });
}

export function sourceOf(entry: Entry): AssetSource {
  const { path, bytes, mtimeMs } = entry;
  return { path, bytes, mtimeMs, version: versionOf(entry) };
}

/**
 * Returns the source of a row's file. Without an ETag its version contains the path, because a row may later refer to
 * another file of the same size and time, whose content must be compared.
 */
export function rowSourceOf(entry: Entry, rowKey: string): AssetSource {
  const source = { ...sourceOf(entry), rowKey };
  if (entry.etag !== undefined) return source;
  const base = `${baseVersionOf(entry)}p${hashOf(entry.path).slice(0, 8)}`;
  return { ...source, version: withChangeTime(base, entry.changedMs) };
}

/** Creates a platform object's source. Equal `properties` result in equal versions. Unknown `bytes` are left out. */
export function createObjectSource(
  id: string,
  name: string,
  properties: readonly (string | null)[],
  bytes: number | null,
): AssetSource {
  const base = hashOf(JSON.stringify([id, name, ...properties])).slice(0, 24);
  const version = bytes === null ? `p${base}` : `p${base}.${bytes.toString(36)}`;
  return { path: name, id, bytes: bytes ?? 0, mtimeMs: 0, version };
}

export function isObjectVersion(version: string): boolean {
  return /^p[0-9a-f]{24}(?:\.|$)/.test(version);
}

/** True if the bases are equal, and the suffixes (change time, content, object size) are equal or one is missing. */
export function isSameSource(first: string, second: string): boolean {
  const [suffix, otherSuffix] = [parseVersion(first).suffix, parseVersion(second).suffix];
  const isKnown = suffix !== undefined && otherSuffix !== undefined;
  return hasSameBase(first, second) && (!isKnown || suffix === otherSuffix);
}

/** True if the versions are equal without their suffixes. */
export function hasSameBase(first: string, second: string): boolean {
  return parseVersion(first).base === parseVersion(second).base;
}

/**
 * True if work on `earlierVersion` can be reused for version `current`. Returns false if `current` is known to have
 * other content.
 */
export function canReuseWork(earlierVersion: string, current: string): boolean {
  if (earlierVersion === current) return true;
  return (
    isSameSource(earlierVersion, current) && !ofContent.test(parseVersion(current).suffix ?? '')
  );
}
