// Checks the mode of a file with a secret, by the rules of PostgreSQL's clients.
interface FileOwnership {
  mode: number;
  uid: number;
}

/**
 * True if too many users can read the file. A file of this user must be private; a file of root may be readable by a group,
 * which is how clusters mount secrets for other users.
 * @param uid user id of this process
 */
export function isReadableByOthers(file: FileOwnership, uid: number): boolean {
  const isOwnedByRoot = file.uid === 0 && uid !== 0;
  return (file.mode & (isOwnedByRoot ? 0o027 : 0o077)) !== 0;
}
