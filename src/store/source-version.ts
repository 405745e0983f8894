// When a source counts as unchanged: same size and time, same ETag, or the same looks on the platform, as
// one short token.
import type { Entry } from '../connectors/connector.ts';
import type { AssetSource } from '../plan/types.ts';
import { hashOf } from './object-name.ts';

/** `<size>-<time>` in base 36, or `<size>-e` and a hash of the ETag. */
function versionOf({ bytes, mtimeMs, etag }: Entry): string {
  const rest = etag === undefined ? mtimeMs.toString(36) : `e${hashOf(etag).slice(0, 24)}`;
  return `${bytes.toString(36)}-${rest}`;
}

/** Size that a version tells; null where it is of another form. */
export function bytesOfVersion(version: string): number | null {
  const match = /^([0-9a-z]+)-/.exec(version);
  return match?.[1] === undefined ? null : Number.parseInt(match[1], 36);
}

export function sourceOf(entry: Entry): AssetSource {
  const { path, bytes, mtimeMs } = entry;
  return { path, bytes, mtimeMs, version: versionOf(entry) };
}

/**
 * A platform object as the source of an asset. `shown` is what its record shows that can change; equal ones
 * give equal versions. `bytes` is left out of the version where it is not known.
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

/** Whether a version is that of a platform object. */
export function isOfObject(version: string): boolean {
  return /^p[0-9a-f]{24}(?:\.|$)/.test(version);
}

/** Equal, or equal but for a size that one of them does not know. */
export function isSameSource(one: string, other: string): boolean {
  if (one === other) return true;
  const [looks, size] = one.split('.');
  const [otherLooks, otherSize] = other.split('.');
  return isOfObject(one) && looks === otherLooks && (size === undefined || otherSize === undefined);
}
