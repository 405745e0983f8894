// Lists the names of all files in a folder and its subfolders in pages, so that a huge folder needs little memory.
import type { Dir, Dirent } from 'node:fs';
import { opendir } from 'node:fs/promises';
import type { ListOptions } from '../connector.ts';
import { ConnectorError, errnoOf } from '../connector-error.ts';
import { withRetry } from './disk-retry.ts';
import { EntryWindow } from './name-order.ts';

const pageSize = 256;

export interface FoundName {
  /** Path relative to the connector's root. */
  path: string;
  isLink: boolean;
}

/** Up to `pageSize` files of one folder. */
export interface FoundPage {
  /** Path relative to the connector's root. Empty for the root. */
  folder: string;
  files: FoundName[];
}

/**
 * Calls `task` with a path through the handle of `folder`, which is relative to the root.
 * @throws ConnectorError HOSTILE_PATH if a link that leads out of the root has replaced the folder
 */
export type WithFolder = <T>(
  folder: string,
  task: (handlePath: string) => Promise<T>,
) => Promise<T>;

interface Walk extends ListOptions {
  withFolder: WithFolder;
  /** Folder where the walk started. */
  start: string;
}

/** Walks `start` (relative, '' for the root). Ignores links to folders, which repeat files or lead out of the root. */
export async function* walk(
  withFolder: WithFolder,
  start: string,
  options: ListOptions,
): AsyncGenerator<FoundPage> {
  const context: Walk = { ...options, withFolder, start };
  const { signal, after } = options;
  if (after !== undefined) {
    yield* walkInOrder(context, start, after);
    return;
  }
  const folders = [start];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    signal?.throwIfAborted();
    let files: FoundName[] = [];
    for await (const item of readItems(context, folder)) {
      const path = pathIn(folder, item);
      if (item.isDirectory()) folders.push(path);
      else if (isWanted(item, path, options)) {
        files.push({ path, isLink: item.isSymbolicLink() });
        if (files.length >= pageSize) {
          yield { folder, files };
          signal?.throwIfAborted();
          files = [];
        }
      }
    }
    if (files.length > 0) yield { folder, files };
  }
}

/** Sorts the files and subfolders of a folder together, because `a-b` comes before `a/b`. */
async function* walkInOrder(
  context: Walk,
  folder: string,
  after: string,
): AsyncGenerator<FoundPage> {
  const { signal } = context;
  for (let lastTakenPath = '', isCut = true; isCut; ) {
    signal?.throwIfAborted();
    const window = new EntryWindow<FoundName & { orderPath: string }>(after, lastTakenPath);
    for await (const item of readItems(context, folder)) {
      const path = pathIn(folder, item);
      const orderPath = item.isDirectory() ? `${path}/` : path;
      if (!window.isPending(orderPath)) continue;
      const isTaken = item.isDirectory() || isWanted(item, path, context);
      if (isTaken) window.add({ path, orderPath, isLink: item.isSymbolicLink() });
    }
    const selection = window.finish();
    let files: FoundName[] = [];
    for (const { path, isLink, orderPath } of selection.items) {
      const isFolder = orderPath.endsWith('/');
      if (!isFolder) files.push({ path, isLink });
      if (files.length > 0 && (isFolder || files.length >= pageSize)) {
        yield { folder, files };
        signal?.throwIfAborted();
        files = [];
      }
      if (isFolder) yield* walkInOrder(context, path, after);
    }
    if (files.length > 0) yield { folder, files };
    isCut = selection.isCut;
    lastTakenPath = selection.items.at(-1)?.orderPath ?? '';
  }
}

function pathIn(folder: string, { name }: Dirent): string {
  return folder === '' ? name : `${folder}/${name}`;
}

function isWanted(item: Dirent, path: string, { accept }: ListOptions): boolean {
  return (item.isFile() || item.isSymbolicLink()) && (accept?.(path) ?? true);
}

interface OpenFolder {
  dir: Dir;
  release: () => void;
}

/** Opens a folder, and holds its handle until it is released. @returns null for a vanished or skipped folder */
async function openFolder(
  { withFolder, start, onSkipped }: Walk,
  folder: string,
): Promise<OpenFolder | null> {
  const open = () =>
    new Promise<OpenFolder>((resolve, reject) => {
      const hold = async (handlePath: string) => {
        const dir = await opendir(handlePath, { bufferSize: pageSize });
        await new Promise<void>((release) => resolve({ dir, release }));
      };
      withFolder(folder, hold).catch(reject);
    });
  try {
    return await withRetry(open);
  } catch (error) {
    // A folder that vanishes during the walk, like a prefix that does not exist, contains no files.
    if (isVanishedError(error)) return null;
    if (errnoOf(error) === 'EACCES' && folder !== start && onSkipped) {
      onSkipped(folder, 'unreadable-folder');
      return null;
    }
    throw error;
  }
}

/**
 * Reads the visible names in a folder. If the file system does not report which names are folders (some NFS servers do
 * not), Node calls `lstat` for each name, and a name that has just vanished ends the listing.
 * @throws ConnectorError UNREADABLE if the listing ended early, because the rest must not count as removed
 */
async function* readItems(context: Walk, folder: string): AsyncGenerator<Dirent> {
  const opened = await openFolder(context, folder);
  if (opened === null) return;
  try {
    for await (const item of opened.dir) if (!item.name.startsWith('.')) yield item;
  } catch (error) {
    if (!isVanishedError(error)) throw error;
    const path = folder === '' ? '.' : folder;
    const problem = `"${path}" changed while it was being listed`;
    throw new ConnectorError('UNREADABLE', path, problem, 'run again', { cause: error });
  } finally {
    opened.release();
  }
}

/** True for an error about a vanished file, a dangling link, or a folder replaced by a link out of the root. */
export function isVanishedError(error: unknown): boolean {
  if (error instanceof ConnectorError) return error.code === 'HOSTILE_PATH';
  return ['ENOENT', 'ENOTDIR', 'ELOOP'].includes(errnoOf(error) ?? '');
}
