// Lists all files in a folder of a server and its subfolders, folder by folder. A listing contains size and time, so
// only links need further requests.
import type { Stats } from 'ssh2';
import type { ListOptions } from '../connector.ts';
import { EntryWindow } from '../disk/name-order.ts';
import { maxPathChars } from '../safe-path.ts';
import { findStatus, SftpConnectionError, status } from './sftp-errors.ts';
import type { SftpFiles } from './sftp-files.ts';
import type { SftpJail } from './sftp-jail.ts';

export interface FoundFile {
  /** Path relative to the connector's root. */
  path: string;
  info: Stats;
}

interface Walk extends ListOptions {
  files: SftpFiles;
  jail: SftpJail;
  /** Number of folders from the root to the start of the walk. */
  depth: number;
}

/** Lists all files below `start`. Ignores links to folders, which repeat files or lead out of the root. */
export async function* walkServer(
  files: SftpFiles,
  jail: SftpJail,
  start: readonly string[],
  options: ListOptions,
): AsyncGenerator<FoundFile> {
  const walk: Walk = { ...options, files, jail, depth: start.length };
  const { signal, accept, after } = options;
  if (after !== undefined) {
    yield* walkInOrder(walk, start, after);
    return;
  }
  const folders: (readonly string[])[] = [start];
  for (let parts = folders.pop(); parts !== undefined; parts = folders.pop()) {
    signal?.throwIfAborted();
    try {
      for await (const entry of readEntries(walk, parts)) {
        if (entry.attrs.isDirectory()) folders.push([...parts, entry.name]);
        else if (accept?.(entry.path) ?? true) yield* checkFile(walk, entry);
      }
    } catch (error) {
      skipOrThrow(walk, error, parts);
    }
  }
}

/** Sorts the files and subfolders of a folder together, because `a-b` comes before `a/b`. */
async function* walkInOrder(
  walk: Walk,
  parts: readonly string[],
  after: string,
): AsyncGenerator<FoundFile> {
  for (let lastTakenPath = '', isCut = true; isCut; ) {
    walk.signal?.throwIfAborted();
    const window = new EntryWindow<ServerEntry & { orderPath: string }>(after, lastTakenPath);
    try {
      for await (const entry of readEntries(walk, parts)) {
        const isFolder = entry.attrs.isDirectory();
        const orderPath = isFolder ? `${entry.path}/` : entry.path;
        if (!window.isPending(orderPath)) continue;
        if (isFolder || (walk.accept?.(entry.path) ?? true)) window.add({ ...entry, orderPath });
      }
    } catch (error) {
      skipOrThrow(walk, error, parts);
      return;
    }
    const selection = window.finish();
    for (const entry of selection.items) {
      if (entry.attrs.isDirectory()) yield* walkInOrder(walk, [...parts, entry.name], after);
      else yield* checkFile(walk, entry);
    }
    isCut = selection.isCut;
    lastTakenPath = selection.items.at(-1)?.orderPath ?? '';
  }
}

interface ServerEntry {
  /** Real path of the folder. */
  folder: string;
  name: string;
  /** Path relative to the connector's root. */
  path: string;
  attrs: Stats;
}

/** Reads the entries of a folder that are not hidden. */
async function* readEntries(
  { files, jail, signal, onSkipped }: Walk,
  parts: readonly string[],
): AsyncGenerator<ServerEntry> {
  const folder = await jail.resolveFolder(parts, false);
  for await (const page of files.readFolder(folder, () => jail.assertStillInside(folder))) {
    signal?.throwIfAborted();
    for (const { filename: name, attrs } of page) {
      if (name.startsWith('.')) continue;
      const path = [...parts, name].join('/');
      // No path in a folder this deep could be used, and a server may have endlessly nested folders.
      const isFolderTooDeep = attrs.isDirectory() && path.length >= maxPathChars;
      if (isFolderTooDeep) onSkipped?.(path, 'unreadable-folder');
      else yield { folder, name, path, attrs };
    }
  }
}

async function* checkFile(walk: Walk, entry: ServerEntry): AsyncGenerator<FoundFile> {
  const info = await readFileInfo(walk, entry);
  if (info === 'outside') walk.onSkipped?.(entry.path, 'link-outside');
  else if (info !== null) yield { path: entry.path, info };
}

/** Returns if the folder should be skipped. Throws any other error. */
function skipOrThrow({ depth, onSkipped }: Walk, error: unknown, parts: readonly string[]): void {
  // A folder that vanishes during the walk, like a prefix that does not exist, contains no files.
  if (findStatus(error) === status.noSuchFile) return;
  const isBelow = parts.length > depth;
  // A link has replaced the folder since it was listed.
  if (isBelow && error instanceof SftpConnectionError && error.kind === 'hostile') return;
  if (findStatus(error) !== status.permissionDenied || !isBelow || !onSkipped) throw error;
  onSkipped(parts.join('/'), 'unreadable-folder');
}

/** Returns the attributes of a file or of a link's target, `outside` for a link out of the root, otherwise null. */
async function readFileInfo(
  { files, jail }: Walk,
  { folder, name, attrs }: ServerEntry,
): Promise<Stats | 'outside' | null> {
  if (attrs.isFile()) return attrs;
  if (!attrs.isSymbolicLink()) return null;
  const full = `${folder}/${name}`;
  try {
    await jail.assertInside(await files.realpath(full));
    const info = await files.stat(full);
    return info.isFile() ? info : null;
  } catch (error) {
    if (error instanceof SftpConnectionError && error.kind === 'hostile') return 'outside';
    if (findStatus(error) !== undefined) return null;
    throw error;
  }
}
