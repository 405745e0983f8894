// Lists all files in a folder of a server and its subfolders, folder by folder. A listing contains size and time, so
// only links need further requests.
import type { Stats } from 'ssh2';
import type { ListOptions } from '../connector.ts';
import { type FolderEntry, walkFolders } from '../disk/folder-walk.ts';
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
  /** Folder where the walk starts. */
  start: string;
}

/** Lists all files below `start`. Ignores links to folders, which repeat files or lead out of the root. */
export async function* walkServer(
  files: SftpFiles,
  jail: SftpJail,
  start: string,
  options: ListOptions,
): AsyncGenerator<FoundFile> {
  const walk: Walk = { ...options, files, jail, start };
  const read = (folder: string) => readEntries(walk, folder);
  for await (const entry of walkFolders(read, start, options)) yield* checkFile(walk, entry);
}

interface ServerEntry extends FolderEntry {
  /** Path on the server. */
  full: string;
  attrs: Stats;
}

/** Reads the entries of a folder that are not hidden. */
async function* readEntries(walk: Walk, folder: string): AsyncGenerator<ServerEntry> {
  const { files, jail, signal, onSkipped } = walk;
  const parts = folder === '' ? [] : folder.split('/');
  try {
    const real = await jail.resolveFolder(parts, false);
    for await (const page of files.readFolder(real, () => jail.assertStillInside(real))) {
      signal?.throwIfAborted();
      for (const { filename: name, attrs } of page) {
        if (name.startsWith('.')) continue;
        const path = [...parts, name].join('/');
        const isFolder = attrs.isDirectory();
        // No path in a folder this deep could be used, and a server may have endlessly nested folders.
        if (isFolder && path.length >= maxPathChars) onSkipped?.(path, 'unreadable-folder');
        else yield { path, isFolder, full: `${real}/${name}`, attrs };
      }
    }
  } catch (error) {
    skipOrThrow(walk, error, folder);
  }
}

async function* checkFile(walk: Walk, entry: ServerEntry): AsyncGenerator<FoundFile> {
  const info = await readFileInfo(walk, entry);
  if (info === 'outside') walk.onSkipped?.(entry.path, 'link-outside');
  else if (info !== null) yield { path: entry.path, info };
}

/** Returns if the folder should be skipped. Throws any other error. */
function skipOrThrow({ start, onSkipped }: Walk, error: unknown, folder: string): void {
  // A folder that vanishes during the walk, like a prefix that does not exist, contains no files.
  if (findStatus(error) === status.noSuchFile) return;
  const isBelow = folder !== start;
  // A link has replaced the folder since it was listed.
  if (isBelow && error instanceof SftpConnectionError && error.kind === 'hostile') return;
  if (findStatus(error) !== status.permissionDenied || !isBelow || !onSkipped) throw error;
  onSkipped(folder, 'unreadable-folder');
}

/** Returns the attributes of a file or of a link's target, `outside` for a link out of the root, otherwise null. */
async function readFileInfo(
  { files, jail }: Walk,
  { full, attrs }: ServerEntry,
): Promise<Stats | 'outside' | null> {
  if (attrs.isFile()) return attrs;
  if (!attrs.isSymbolicLink()) return null;
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
