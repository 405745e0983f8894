// When a source counts as unchanged: same size and time, or same ETag, as one short token.
import type { Entry } from '../connectors/connector.ts';
import type { AssetSource } from '../plan/types.ts';
import { hashOf } from './object-name.ts';

/** `<size>-<time>` in base 36, or `e` and a hash of the ETag. */
function versionOf(entry: Entry): string {
  if (entry.etag !== undefined) return `e${hashOf(entry.etag)}`;
  return `${entry.bytes.toString(36)}-${entry.mtimeMs.toString(36)}`;
}

/** Size that a version tells; null where it only has an ETag. */
export function bytesOfVersion(version: string): number | null {
  const match = /^([0-9a-z]+)-/.exec(version);
  return match?.[1] === undefined ? null : Number.parseInt(match[1], 36);
}

export function sourceOf(entry: Entry): AssetSource {
  const { path, bytes, mtimeMs } = entry;
  return { path, bytes, mtimeMs, version: versionOf(entry) };
}
