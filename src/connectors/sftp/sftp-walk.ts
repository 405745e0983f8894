// Lists all files below a folder of a server, folder by folder. A listing contains size and time, so only links need
// further requests.
import type { Stats } from 'ssh2';
import type { ListOptions } from '../connector.ts';
import { EntryWindow } from '../disk/name-order.ts';
import { maxPathChars } from '../safe-path.ts';
import { SftpConnectionError, status, statusOf } from './sftp-errors.ts';
import type { SftpFiles } from './sftp-files.ts';
import type { SftpJail } from './sftp-jail.ts';

export interface FoundFile {
  /** Relative to the connector's root. */
  path: string;
  info: Stats;
}

/** Lists all files below `start`, without links to folders: they repeat files, or leave the root. */
export async function* walkServer(
  files: SftpFiles,
  jail: SftpJail,
  start: readonly string[],
  options: ListOptions,
): AsyncGenerator<FoundFile> {
  const { signal, accept, onSkipped, after } = options;
  if (after !== undefined) {
    yield* walkInOrder(files, jail, start, { ...options, depth: start.length, after });
    return;
  }
  const folders: (readonly string[])[] = [start];
  for (let parts = folders.pop(); parts !== undefined; parts = folders.pop()) {
    signal?.throwIfAborted();
    try {
      const folder = await jail.folder(parts, false);
      for await (const page of files.readFolder(folder, () => jail.assertStillInside(folder))) {
        signal?.throwIfAborted();
        for (const { filename, attrs } of page) {
          if (filename.startsWith('.')) continue;
          const path = [...parts, filename].join('/');
          if (attrs.isDirectory()) {
            if (isTooDeep(path)) onSkipped?.(path, 'unreadable-folder');
            else folders.push([...parts, filename]);
          } else if (accept?.(path) ?? true) {
            yield* checkFile(
              files,
              jail,
              { path, full: `${folder}/${filename}`, attrs },
              onSkipped,
            );
          }
        }
      }
    } catch (error) {
      skipOrThrow(error, parts, { depth: start.length, onSkipped });
    }
  }
}

/** True if no path in the folder could be used; a server may have endlessly nested folders. */
function isTooDeep(folder: string): boolean {
  return folder.length >= maxPathChars;
}

interface OrderedWalkOptions extends ListOptions {
  /** Number of folders from the root to the start of the walk. */
  depth: number;
  after: string;
}

/** Sorts files and folders of a folder together, because `a-b` comes before `a/b`. */
async function* walkInOrder(
  files: SftpFiles,
  jail: SftpJail,
  parts: readonly string[],
  options: OrderedWalkOptions,
): AsyncGenerator<FoundFile> {
  const { signal, accept, onSkipped, after } = options;
  for (let lastTakenPath = '', isCut = true; isCut; ) {
    signal?.throwIfAborted();
    const window = new EntryWindow<{ orderPath: string; name: string; attrs: Stats }>(
      after,
      lastTakenPath,
    );
    let folder = '';
    try {
      folder = await jail.folder(parts, false);
      for await (const page of files.readFolder(folder, () => jail.assertStillInside(folder))) {
        signal?.throwIfAborted();
        for (const { filename: name, attrs } of page) {
          if (name.startsWith('.')) continue;
          const path = [...parts, name].join('/');
          const orderPath = attrs.isDirectory() ? `${path}/` : path;
          if (attrs.isDirectory() && isTooDeep(path)) {
            onSkipped?.(path, 'unreadable-folder');
            continue;
          }
          if (!window.isPending(orderPath)) continue;
          if (attrs.isDirectory() || (accept?.(path) ?? true))
            window.add({ orderPath, name, attrs });
        }
      }
    } catch (error) {
      skipOrThrow(error, parts, { depth: options.depth, onSkipped });
      return;
    }
    const selection = window.finish();
    for (const { orderPath, name, attrs } of selection.items) {
      if (orderPath.endsWith('/')) yield* walkInOrder(files, jail, [...parts, name], options);
      else
        yield* checkFile(
          files,
          jail,
          { path: orderPath, full: `${folder}/${name}`, attrs },
          onSkipped,
        );
    }
    isCut = selection.isCut;
    lastTakenPath = selection.items.at(-1)?.orderPath ?? '';
  }
}

async function* checkFile(
  files: SftpFiles,
  jail: SftpJail,
  { path, full, attrs }: { path: string; full: string; attrs: Stats },
  onSkipped: ListOptions['onSkipped'],
): AsyncGenerator<FoundFile> {
  const info = await readFileInfo(files, jail, full, attrs);
  if (info === 'outside') onSkipped?.(path, 'link-outside');
  else if (info !== null) yield { path, info };
}

/** Returns if the folder should be skipped; throws any other error. */
function skipOrThrow(
  error: unknown,
  parts: readonly string[],
  { depth, onSkipped }: { depth: number; onSkipped: ListOptions['onSkipped'] },
): void {
  // A folder that vanishes during the walk, or a prefix that does not exist, has no files.
  if (statusOf(error) === status.noSuchFile) return;
  const isBelow = parts.length > depth;
  // A link has replaced the folder since it was listed.
  if (isBelow && error instanceof SftpConnectionError && error.kind === 'hostile') return;
  if (statusOf(error) !== status.permissionDenied || !isBelow || !onSkipped) throw error;
  onSkipped(parts.join('/'), 'unreadable-folder');
}

/** Attributes of a file, or of a link's target; `outside` for a link out of the root; null for anything else. */
async function readFileInfo(
  files: SftpFiles,
  jail: SftpJail,
  full: string,
  attrs: Stats,
): Promise<Stats | 'outside' | null> {
  if (attrs.isFile()) return attrs;
  if (!attrs.isSymbolicLink()) return null;
  try {
    await jail.assertInside(await files.realpath(full));
    const info = await files.stat(full);
    return info.isFile() ? info : null;
  } catch (error) {
    if (error instanceof SftpConnectionError && error.kind === 'hostile') return 'outside';
    if (statusOf(error) !== undefined) return null;
    throw error;
  }
}
