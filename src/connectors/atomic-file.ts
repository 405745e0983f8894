// Files that appear whole or not at all.
import { link, lstat, open, rename, rm, unlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { WriteOptions } from './connector.ts';
import { errnoOf } from './connector-error.ts';
import { tempName } from './temp-files.ts';

/** Errors of file systems that have no hard links. */
const noLinks = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

/** Writes a file by way of a temporary one beside it. */
export async function writeAtomically(
  file: string,
  bytes: Uint8Array,
  { ifAbsent = false, durable = false }: WriteOptions,
): Promise<'written' | 'exists'> {
  const temp = join(dirname(file), tempName());
  try {
    await writeFile(temp, bytes, { flag: 'wx', flush: durable });
    if (!ifAbsent) {
      await rename(temp, file);
      return 'written';
    }
    const answer = await createFrom(temp, file, bytes);
    await unlink(temp);
    return answer;
  } catch (error) {
    await rm(temp, { force: true }).catch(() => undefined);
    throw error;
  }
}

/** Gives a complete file its name unless the name is taken; atomic on local disks and NFS alike. */
async function createFrom(temp: string, file: string, bytes: Uint8Array) {
  try {
    await link(temp, file);
    return 'written';
  } catch (error) {
    const errno = errnoOf(error) ?? '';
    // A network drive may repeat a request whose answer was lost, and then finds our own link.
    if (errno === 'EEXIST') return (await lstat(temp)).nlink > 1 ? 'written' : 'exists';
    if (!noLinks.has(errno)) throw error;
  }
  // Without hard links the name is taken first and filled at once: a reader may find it empty for a moment.
  try {
    await writeFile(file, bytes, { flag: 'wx' });
    return 'written';
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return 'exists';
    throw error;
  }
}

/** Makes a filled file durable and gives it its final name. */
export async function commitFile(temp: string, file: string) {
  const handle = await open(temp, 'r+');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(temp, file);
  return lstat(file);
}
