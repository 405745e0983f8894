// All files below a folder of a server, one folder after the other, with size and time from its listing.
import type { Stats } from 'ssh2';
import type { ListOptions } from '../connector.ts';
import { LinkError, status, statusOf } from './sftp-errors.ts';
import type { SftpFiles } from './sftp-files.ts';
import type { SftpJail } from './sftp-jail.ts';

export interface FoundFile {
  /** Relative to the connector's root. */
  path: string;
  info: Stats;
}

/** Links to folders are not followed: inside the root they would list everything twice, outside they leave it. */
export async function* walkServer(
  files: SftpFiles,
  jail: SftpJail,
  start: readonly string[],
  { signal, accept, onSkipped }: ListOptions,
): AsyncGenerator<FoundFile> {
  const folders: (readonly string[])[] = [start];
  for (let parts = folders.pop(); parts !== undefined; parts = folders.pop()) {
    signal?.throwIfAborted();
    try {
      const folder = await jail.folder(parts, false);
      for await (const page of files.readFolder(folder, () => jail.mustHold(folder))) {
        signal?.throwIfAborted();
        for (const { filename, attrs } of page) {
          if (filename.startsWith('.')) continue;
          const path = [...parts, filename].join('/');
          if (attrs.isDirectory()) folders.push([...parts, filename]);
          else if (accept?.(path) ?? true) {
            const info = await fileInfo(files, jail, `${folder}/${filename}`, attrs);
            if (info === 'outside') onSkipped?.(path, 'link-outside');
            else if (info !== null) yield { path, info };
          }
        }
      }
    } catch (error) {
      // A folder that goes away during the walk has no files; so has a prefix that was never there.
      if (statusOf(error) === status.noSuchFile) continue;
      const isBelow = parts.length > start.length;
      // A link stands in its place since it was found.
      if (isBelow && error instanceof LinkError && error.kind === 'hostile') continue;
      if (statusOf(error) !== status.permissionDenied || !isBelow || !onSkipped) throw error;
      onSkipped(parts.join('/'), 'unreadable');
    }
  }
}

/** null for what is no file. */
async function fileInfo(
  files: SftpFiles,
  jail: SftpJail,
  full: string,
  attrs: Stats,
): Promise<Stats | 'outside' | null> {
  if (attrs.isFile()) return attrs;
  if (!attrs.isSymbolicLink()) return null;
  try {
    await jail.mustBeInside(await files.realpath(full));
    const info = await files.stat(full);
    return info.isFile() ? info : null;
  } catch (error) {
    if (error instanceof LinkError && error.kind === 'hostile') return 'outside';
    if (statusOf(error) !== undefined) return null;
    throw error;
  }
}
