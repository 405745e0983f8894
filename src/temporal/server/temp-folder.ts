// Temporary folders for building files before they are moved to their final path.
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createFolder } from '../../disk/create-folder.ts';

/**
 * Creates a new folder `prefix…` in `parent` for `task`, and deletes it afterwards. Folders left by a killed process
 * are deleted too, so only one process may do this at a time (see file-lock.ts).
 */
export async function withTempFolder<T>(
  parent: string,
  prefix: string,
  task: (folder: string) => Promise<T>,
): Promise<T> {
  await createFolder(parent);
  for (const name of await readdir(parent)) {
    if (name.startsWith(prefix)) await rm(join(parent, name), { recursive: true, force: true });
  }
  const folder = await mkdtemp(join(parent, prefix));
  try {
    return await task(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
