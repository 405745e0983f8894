// Files that appear whole or not at all.
import { link, lstat, rename, rm, unlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { WriteOptions } from './connector.ts';
import { errnoOf } from './connector-error.ts';
import { flushFolder } from './folder-flush.ts';
import { replacePatiently } from './patience.ts';
import { type CheckOpened, createChecked } from './temp-file.ts';
import { endTemp, tempName } from './temp-files.ts';

/** Errors of file systems that have no hard links. */
const noLinks = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

export interface FileMaker {
  /** Another path of its folder, which leads there whatever becomes of the folder's name. */
  held?: string;
  check?: CheckOpened;
}

/** Writes a file by way of a temporary one beside it. */
export async function writeAtomically(
  path: string,
  bytes: Uint8Array,
  { ifAbsent = false, durable = false }: WriteOptions,
  { held = dirname(path), check = async () => undefined }: FileMaker = {},
): Promise<'written' | 'exists'> {
  const name = tempName();
  const [file, temp] = [join(held, basename(path)), join(held, name)];
  try {
    const made = await createChecked(temp, check);
    try {
      await made.write(bytes);
      if (durable) await made.sync();
    } finally {
      await made.end();
    }
    const answer = ifAbsent ? await createFrom(temp, file, bytes, durable) : 'written';
    if (ifAbsent) await unlink(temp);
    else await replacePatiently(() => rename(temp, file));
    // Also of a file that somebody else has just made: who hears of it builds on it.
    if (durable) await flushFolder(dirname(path));
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
