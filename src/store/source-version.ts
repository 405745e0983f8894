// When a source counts as unchanged: same size and time, or same ETag, as one short token.
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
