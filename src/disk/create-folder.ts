// Creates a folder and its parents. Node's `mkdir` with `recursive` never returns if an existing parent answers ENOENT,
// as /proc and automounted folders do.
import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Creates a folder and its missing parents.
 * @param mode file mode of the created folders
 * @returns the first folder that was created, or undefined if all of them existed
 * @throws the errors of the file system: EEXIST if the path is not a folder, ENOENT if its parent accepts no folders
 */
export async function createFolder(path: string, mode?: number): Promise<string | undefined> {
  try {
    return await createOne(path, mode);
  } catch (error) {
    const parent = dirname(path);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || parent === path) throw error;
    const firstParent = await createFolder(parent, mode);
    // The parent exists now, whoever created it, so a second ENOENT means that it cannot contain folders.
    const created = await createOne(path, mode);
    return firstParent ?? created;
  }
}

/** Creates one folder. Returns undefined if it exists. */
async function createOne(path: string, mode: number | undefined): Promise<string | undefined> {
  try {
    await mkdir(path, { mode });
    return path;
  } catch (error) {
    const isFolder = await stat(path).then(
      (stats) => stats.isDirectory(),
      () => false,
    );
    if (isFolder) return undefined;
    throw error;
  }
}
