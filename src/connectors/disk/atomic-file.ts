// Writes files atomically, so that they appear complete or not at all, except new files on disks without hard links.
import { link, lstat, rename, rm, unlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { WriteOptions } from '../connector.ts';
import { errnoOf } from '../connector-error.ts';
import { replaceWithRetry } from './disk-retry.ts';
import { flushFolder } from './folder-flush.ts';
import { createChecked, type OpenedFileCheck } from './temp-file.ts';
import { releaseTempName, reserveTempName } from './temp-names.ts';

const noLinks = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

export interface AtomicWriteOptions {
  /** Alternative path to the folder, which stays valid if the folder is renamed or replaced. */
  handlePath?: string;
  check?: OpenedFileCheck;
}

/** Writes a temporary file next to the target and renames it. With `ifAbsent`, links it under the new name. */
export async function writeAtomically(
  path: string,
  bytes: Uint8Array,
  { ifAbsent = false, durable = false }: WriteOptions,
  { handlePath = dirname(path), check = async () => undefined }: AtomicWriteOptions = {},
): Promise<'written' | 'exists'> {
  const name = reserveTempName();
  const [file, temp] = [join(handlePath, basename(path)), join(handlePath, name)];
  try {
    const tempFile = await createChecked(temp, check);
    try {
      await tempFile.write(bytes);
      if (durable) await tempFile.sync();
    } finally {
      await tempFile.end();
    }
    const result = ifAbsent ? await createFrom(temp, file, bytes, durable) : 'written';
    if (ifAbsent) await unlink(temp);
    else await replaceWithRetry(() => rename(temp, file));
    // The folder is flushed even if another writer has created the file, because the caller relies on its existence.
    if (durable) await flushFolder(dirname(path));
    return result;
  } catch (error) {
    await rm(temp, { force: true }).catch(() => undefined);
    throw error;
  } finally {
    releaseTempName(name);
  }
}

/** Moves a complete file to its final name unless the name is taken. Atomic where hard links are supported. */
async function createFrom(temp: string, file: string, bytes: Uint8Array, durable: boolean) {
  try {
    await link(temp, file);
    return 'written';
  } catch (error) {
    const errno = errnoOf(error) ?? '';
    // A network drive may repeat a request after losing the response, and then find our own link.
    if (errno === 'EEXIST') return (await lstat(temp)).nlink > 1 ? 'written' : 'exists';
    if (!noLinks.has(errno)) throw error;
  }
  // Without hard links, the file is created and filled immediately. A reader may briefly find it empty.
  try {
    await writeFile(file, bytes, { flag: 'wx', flush: durable });
    return 'written';
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return 'exists';
    // The file is removed, because this call created it and it is incomplete.
    await rm(file, { force: true }).catch(() => undefined);
    throw error;
  }
}
