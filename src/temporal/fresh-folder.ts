// Folders in which something is made before it gets its final name.
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Makes a new folder `prefix…` in `parent` for `work`, and removes it afterwards. Folders left there by
 * a process that was killed go too, so the caller must be the only one at work (see file-lock.ts).
 */
export async function inFreshFolder<T>(
  parent: string,
  prefix: string,
  work: (folder: string) => Promise<T>,
): Promise<T> {
  await mkdir(parent, { recursive: true });
  for (const name of await readdir(parent)) {
    if (name.startsWith(prefix)) await rm(join(parent, name), { recursive: true, force: true });
  }
  const folder = await mkdtemp(join(parent, prefix));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
