// Files that appear whole or not at all.
import { link, lstat, rename, rm, unlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { WriteOptions } from './connector.ts';
import { errnoOf } from './connector-error.ts';
import { flushFolder } from './folder-flush.ts';
import { type CheckOpened, openChecked } from './temp-file.ts';
import { endTemp, tempName } from './temp-files.ts';

/** Errors of file systems that have no hard links. */
const noLinks = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

/** Writes a file by way of a temporary one beside it. */
export async function writeAtomically(
  file: string,
  bytes: Uint8Array,
  { ifAbsent = false, durable = false }: WriteOptions,
  check: CheckOpened = async () => undefined,
): Promise<'written' | 'exists'> {
  const folder = dirname(file);
  const name = tempName();
  const temp = join(folder, name);
  try {
    const handle = await openChecked(temp, 'wx', check);
    try {
      await handle.writeFile(bytes);
      if (durable) await handle.sync();
    } finally {
      await handle.close();
    }
    const answer = ifAbsent ? await createFrom(temp, file, bytes, durable) : 'written';
    if (ifAbsent) await unlink(temp);
    else await rename(temp, file);
    // Also of a file that somebody else has just made: who hears of it builds on it.
    if (durable) await flushFolder(folder);
    return answer;
  } catch (error) {
    await rm(temp, { force: true }).catch(() => undefined);
    throw error;
  } finally {
    endTemp(name);
  }
}

/** Gives a complete file its name unless the name is taken; atomic on local disks and NFS alike. */
async function createFrom(temp: string, file: string, bytes: Uint8Array, durable: boolean) {
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
    await writeFile(file, bytes, { flag: 'wx', flush: durable });
    return 'written';
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return 'exists';
    // The name was ours, and what stands under it is not whole.
    await rm(file, { force: true }).catch(() => undefined);
    throw error;
  }
}
