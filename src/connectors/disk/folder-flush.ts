// Flushes folders, so that flushed files keep their names after a power failure. Concurrent callers share one flush.
import { DiskFile } from '../../disk/disk-file.ts';
import { errnoOf } from '../connector-error.ts';
import { openWithRetry } from './disk-retry.ts';

/** Errors of file systems that cannot flush a folder, and of users who may not open a folder. */
const notPossible = new Set([
  'EINVAL',
  'ENOTSUP',
  'EOPNOTSUPP',
  'ENOSYS',
  'EISDIR',
  'EBADF',
  'EPERM',
  'EACCES',
]);

const flushByFolder = new Map<string, Promise<void>>();
const nextFlushByFolder = new Map<string, Promise<void>>();

/** Resolves once all names that the folder contained at the time of the call are durable. */
export function flushFolder(folder: string): Promise<void> {
  const nextFlush = nextFlushByFolder.get(folder);
  if (nextFlush) return nextFlush;
  const previousFlush = flushByFolder.get(folder)?.catch(() => undefined) ?? Promise.resolve();
  const newFlush = previousFlush.then(async () => {
    // Later callers may have created names that this flush misses, so they need another one.
    nextFlushByFolder.delete(folder);
    flushByFolder.set(folder, newFlush);
    try {
      await flush(folder);
    } finally {
      if (flushByFolder.get(folder) === newFlush) flushByFolder.delete(folder);
    }
  });
  nextFlushByFolder.set(folder, newFlush);
  return newFlush;
}

async function flush(folder: string): Promise<void> {
  try {
    const handle = await openWithRetry(() => DiskFile.open(folder));
    try {
      await handle.sync();
    } finally {
      handle.close();
    }
  } catch (error) {
    if (!notPossible.has(errnoOf(error) ?? '')) throw error;
  }
}
