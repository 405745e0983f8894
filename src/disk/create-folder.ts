// Creates a folder and its parents. Node's `mkdir` with `recursive` never returns if an existing parent answers ENOENT,
// as /proc and automounted folders do.
import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Creates a folder and its missing parents.
 * @param mode of the created folders
 * @returns the first folder that was created; undefined if all of them existed
 * @throws the errors of the file system: EEXIST if the path is not a folder, ENOENT if its parent accepts no folders
 */
export async function createFolder(path: string, mode?: number): Promise<string | undefined> {
  try {
    await mkdir(path, { mode });
    return path;
  } catch (error) {
    if (await isExistingFolder(path)) return undefined;
    const parent = dirname(path);
    const isParentMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    if (!isParentMissing || parent === path || (await isExistingFolder(parent))) throw error;
    const firstParent = await createFolder(parent, mode);
    const createdPath = await createFolder(path, mode);
    return firstParent ?? createdPath;
  }
}

async function isExistingFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
}
