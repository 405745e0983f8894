// Checks who can change a file. Configuration and plugins decide where a key is sent and which code runs, so they are
// used only if only this user and root can change them.
import { accessSync, constants, lstatSync, realpathSync, type Stats } from 'node:fs';
import { dirname, resolve } from 'node:path';

const sticky = 0o1000;
const byGroup = 0o020;
const byAll = 0o002;

/**
 * Returns why another user can change the file at a path, or null if only this user and root can. Parent folders and
 * the target of a link are checked too.
 * @param uid user id of this process. Undefined on systems without user ids, where nothing is checked
 * @throws Error of the file system if the path does not exist
 */
export function findTrustProblem(path: string, uid = process.getuid?.()): string | null {
  if (uid === undefined) return null;
  for (const absolutePath of new Set([resolve(path), realpathSync(path)])) {
    for (const ancestor of withParents(absolutePath)) {
      const stats = lstatSync(ancestor);
      const problem =
        explainForeignOwner(stats, uid) ??
        (canReplacePath(ancestor, stats) ? explainUnsafeMode(stats, uid) : null);
      if (problem !== null) return `${ancestor} ${problem}`;
    }
  }
  return null;
}

/** Returns an absolute path and all its parent folders, nearest first. */
export function withParents(path: string): string[] {
  const parent = dirname(path);
  return parent === path ? [path] : [path, ...withParents(parent)];
}

function explainForeignOwner(stats: Stats, uid: number): string | null {
  return stats.uid === uid || stats.uid === 0 ? null : 'belongs to another user';
}

function explainUnsafeMode({ mode, gid }: Stats, uid: number): string | null {
  if ((mode & byAll) !== 0) return 'can be written by all users';
  // Many systems assign each user a private group with the same id, which may write the user's files.
  return (mode & byGroup) !== 0 && gid !== uid ? 'can be written by its group' : null;
}

/**
 * False if the mode does not matter. This applies to a link, to a sticky folder such as /tmp, where only owners can
 * replace files, and to a folder on a read-only mount, because clusters mount configuration with mode 777.
 */
function canReplacePath(path: string, stats: Stats): boolean {
  if (stats.isSymbolicLink()) return false;
  return !stats.isDirectory() || ((stats.mode & sticky) === 0 && !isPathReadOnly(path));
}

function isPathReadOnly(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EROFS';
  }
}
