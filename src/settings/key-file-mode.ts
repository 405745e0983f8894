// Who may read a file with a secret, as PostgreSQL's clients see it.
interface Owned {
  mode: number;
  uid: number;
}

/**
 * Whether too many may read it. A file of ours is for us alone; one of root may be for a group too, which is how a
 * cluster mounts secrets for whoever is not root.
 * @param uid of this process
 */
export function isReadByOthers(file: Owned, uid: number): boolean {
  const isOfRoot = file.uid === 0 && uid !== 0;
  return (file.mode & (isOfRoot ? 0o027 : 0o077)) !== 0;
}
