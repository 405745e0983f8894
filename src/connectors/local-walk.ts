// Names of all files below a folder, a page at a time, so that a huge folder needs little memory.
import type { Dirent } from 'node:fs';
import { opendir } from 'node:fs/promises';
import type { ListOptions } from './connector.ts';
import { ConnectorError, errnoOf } from './connector-error.ts';
import { patiently } from './patience.ts';

const pageSize = 256;

export interface FoundName {
  /** Relative to the connector's root. */
  path: string;
  isLink: boolean;
}

/** Files of one folder. */
export interface FoundPage {
  /** Relative to the connector's root; '' for the root. */
  folder: string;
  found: FoundName[];
}

/**
 * Does something in a folder, relative to the root, that stays the one that was looked at.
 * @throws ConnectorError HOSTILE_PATH where a link stands in its place that leads out
 */
export type Within = <T>(folder: string, work: (held: string) => Promise<T>) => Promise<T>;

/**
 * Walks `start` (relative, '' for the root). Links to folders are not followed: inside the root they would list
 * everything twice or for ever, outside they leave the jail.
 */
export async function* walk(
  within: Within,
  start: string,
  { signal, accept, onSkipped }: ListOptions,
): AsyncGenerator<FoundPage> {
  const folders = [start];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    signal?.throwIfAborted();
    const dir = await openFolder(within, folder, start, onSkipped);
    if (!dir) continue;
    let found: FoundName[] = [];
    for await (const item of dir) {
      if (item.name.startsWith('.')) continue;
      const path = folder === '' ? item.name : `${folder}/${item.name}`;
      if (item.isDirectory()) folders.push(path);
      else if (isFileOrLink(item) && (accept?.(path) ?? true)) {
        found.push({ path, isLink: item.isSymbolicLink() });
        if (found.length >= pageSize) {
          yield { folder, found };
          signal?.throwIfAborted();
          found = [];
        }
      }
    }
    if (found.length > 0) yield { folder, found };
  }
}

function isFileOrLink(item: Dirent): boolean {
  return item.isFile() || item.isSymbolicLink();
}

async function openFolder(
  within: Within,
  folder: string,
  start: string,
  onSkipped: ListOptions['onSkipped'],
) {
  try {
    return await patiently(() => within(folder, (held) => opendir(held, { bufferSize: pageSize })));
  } catch (error) {
    // A folder that goes away during the walk has no files; so has a prefix that was never there.
    if (isGone(error)) return null;
    if (errnoOf(error) === 'EACCES' && folder !== start && onSkipped) {
      onSkipped(folder, 'unreadable');
      return null;
    }
    throw error;
  }
}

/** Gone since its folder was read, a link to nowhere, or a link in the place of a folder that leads out. */
export function isGone(error: unknown): boolean {
  if (error instanceof ConnectorError) return error.code === 'HOSTILE_PATH';
  return ['ENOENT', 'ENOTDIR', 'ELOOP'].includes(errnoOf(error) ?? '');
}
