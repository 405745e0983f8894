// Names of all files below a folder, a page at a time, so that a huge folder needs little memory.
import type { Dirent } from 'node:fs';
import { opendir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { ListOptions } from './connector.ts';
import { errnoOf } from './connector-error.ts';
import { isInside } from './local-jail.ts';
import { patiently } from './patience.ts';

const pageSize = 256;

export interface FoundName {
  /** Relative to the connector's root. */
  path: string;
  isLink: boolean;
}

/**
 * Walks `start` (relative, '' for the root) below the real path `root`. Links to folders are not
 * followed: inside the root they would list everything twice or for ever, outside they leave the jail.
 */
export async function* walk(
  root: string,
  start: string,
  { signal, accept, onSkipped }: ListOptions,
): AsyncGenerator<FoundName[]> {
  const folders = [start];
  let page: FoundName[] = [];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    signal?.throwIfAborted();
    const dir = await openFolder(root, folder, start, onSkipped);
    if (!dir) continue;
    if (!isInside(root, await realpath(join(root, folder)).catch(() => root))) {
      await dir.close();
      continue;
    }
    for await (const item of dir) {
      if (item.name.startsWith('.')) continue;
      const path = folder === '' ? item.name : `${folder}/${item.name}`;
      if (item.isDirectory()) folders.push(path);
      else if (isFileOrLink(item) && (accept?.(path) ?? true)) {
        page.push({ path, isLink: item.isSymbolicLink() });
        if (page.length >= pageSize) {
          yield page;
          signal?.throwIfAborted();
          page = [];
        }
      }
    }
  }
  if (page.length > 0) yield page;
}

function isFileOrLink(item: Dirent): boolean {
  return item.isFile() || item.isSymbolicLink();
}

async function openFolder(
  root: string,
  folder: string,
  start: string,
  onSkipped: ListOptions['onSkipped'],
) {
  try {
    return await patiently(() => opendir(join(root, folder), { bufferSize: pageSize }));
  } catch (error) {
    const errno = errnoOf(error);
    // A folder that goes away during the walk has no files; so has a prefix that was never there.
    if (errno === 'ENOENT') return null;
    if (errno === 'EACCES' && folder !== start && onSkipped) {
      onSkipped(folder, 'unreadable');
      return null;
    }
    throw error;
  }
}
