// A source that consists of several files: its version and the paths of its files. Pure.
import { createHash } from 'node:crypto';
import type { Entry } from '../../connectors/connector.ts';
import type { AssetSource, SourceSet } from '../../plan/types.ts';
import { hashOf } from '../objects/object-name.ts';
import { baseVersionOf, withChangeTime } from './source-version.ts';

/**
 * Combines the files of a set into one source. `path` is in the folder that contains all of them. The version is their
 * total size and a hash over all files, so any changed or moved file changes the version.
 */
export function setSource(
  path: string,
  name: string,
  entries: Readonly<Record<string, Entry>>,
): AssetSource {
  const files = Object.entries(entries).sort(compareByName);
  const bytes = files.reduce((sum, [, entry]) => sum + entry.bytes, 0);
  const start = folderOf(path).length;
  return {
    path,
    bytes,
    mtimeMs: Math.max(...files.map(([, entry]) => entry.mtimeMs)),
    version: setVersion(entries),
    set: {
      name,
      files: Object.fromEntries(files.map(([role, entry]) => [role, entry.path.slice(start)])),
    },
  };
}

export function setVersion(entries: Readonly<Record<string, Entry>>): string {
  const files = Object.entries(entries).sort(compareByName);
  const bytes = files.reduce((sum, [, entry]) => sum + entry.bytes, 0);
  const bases = files.map(([role, entry]) => [role, entry.path, baseVersionOf(entry)]);
  const changes = files.flatMap(([, { changedMs }]) => changedMs ?? []);
  // The newest change of any file is the change of the set.
  const changedMs = changes.length > 0 ? Math.max(...changes) : undefined;
  const base = `${bytes.toString(36)}-s${hashOf(JSON.stringify(bases)).slice(0, 24)}`;
  return withChangeTime(base, changedMs);
}

/** Returns the sha256 (hex) of the content of a set, computed from the hashes of its files. */
export function setSha256(hashes: Readonly<Record<string, string>>): string {
  const text = JSON.stringify(Object.entries(hashes).sort(compareByName));
  return createHash('sha256').update(text).digest('hex');
}

/** Returns the full paths of a set's files, each with its role. */
export function setPaths({ path }: Pick<AssetSource, 'path'>, set: SourceSet): [string, string][] {
  const folder = folderOf(path);
  return Object.entries(set.files).map(([role, file]) => [role, folder + file]);
}

export function sourcePathsOf(source: AssetSource): string[] {
  if (source.set === undefined) return [source.path];
  return setPaths(source, source.set).map(([, path]) => path);
}

/** Returns the folder with its trailing slash. Empty at the root. */
function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1);
}

function compareByName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}
