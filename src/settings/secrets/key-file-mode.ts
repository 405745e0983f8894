// Checks the mode of a file with a secret, following the rules of PostgreSQL's clients.
import { type Stats, statSync } from 'node:fs';

/**
 * True if too many users can access the file. A file of this user must be private. A file of root may be readable by a
 * group, because clusters mount secrets for other users in this way.
 * @param uid user id of this process
 */
export function isReadableByOthers(file: Pick<Stats, 'mode' | 'uid'>, uid: number): boolean {
  const isOwnedByRoot = file.uid === 0 && uid !== 0;
  return (file.mode & (isOwnedByRoot ? 0o027 : 0o077)) !== 0;
}

/** Returns a warning if other users can read the key file. @throws Error of the file system */
export function findKeyFileWarnings(path: string): string[] {
  if (!isReadableByOthers(statSync(path), process.getuid?.() ?? 0)) return [];
  return [`${path} can be read by other users: chmod 600 ${path}`];
}
