// Lists the names of all files in a folder and its subfolders in pages, so that a huge folder needs little memory.
import type { Dir } from 'node:fs';
import { opendir } from 'node:fs/promises';
import type { ListOptions } from '../connector.ts';
import { ConnectorError, errnoOf } from '../connector-error.ts';
import { withRetry } from './disk-retry.ts';
import { type FolderEntry, walkFolders } from './folder-walk.ts';

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

interface WalkedName extends FoundName, FolderEntry {
  /** Path of the folder, relative to the connector's root. */
  folder: string;
}

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
  const read = (folder: string) => readEntries(context, folder);
  let page: FoundPage = { folder: start, files: [] };
  for await (const { folder, path, isLink } of walkFolders(read, start, options)) {
    if (page.files.length >= pageSize || page.folder !== folder) {
      if (page.files.length > 0) yield page;
      options.signal?.throwIfAborted();
      page = { folder, files: [] };
    }
    page.files.push({ path, isLink });
  }
  if (page.files.length > 0) yield page;
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
 * Reads the visible files, links and subfolders of a folder. If the file system does not report which names are folders (some NFS servers do
 * not), Node calls `lstat` for each name, and a name that has just vanished ends the listing.
 * @throws ConnectorError UNREADABLE if the listing ended early, because the rest must not count as removed
 */
async function* readEntries(context: Walk, folder: string): AsyncGenerator<WalkedName> {
  const opened = await openFolder(context, folder);
  if (opened === null) return;
  try {
    for await (const item of opened.dir) {
      const [isFolder, isLink] = [item.isDirectory(), item.isSymbolicLink()];
      if (item.name.startsWith('.') || !(isFolder || isLink || item.isFile())) continue;
      const path = folder === '' ? item.name : `${folder}/${item.name}`;
      yield { folder, path, isFolder, isLink };
    }
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
