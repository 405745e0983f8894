// Flushes folders, so that flushed files keep their names in a power cut. Concurrent callers share one flush.
import { DiskFile } from '../../disk/disk-file.ts';
import { errnoOf } from '../connector-error.ts';
import { openWithRetry } from './disk-retry.ts';

/** Errors of file systems that cannot flush a folder, and of users who may not open one. */
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

const running = new Map<string, Promise<void>>();
const waiting = new Map<string, Promise<void>>();

/** Resolves when all names that the folder had at the time of the call are durable. */
export function flushFolder(folder: string): Promise<void> {
  const next = waiting.get(folder);
  if (next) return next;
  const before = running.get(folder)?.catch(() => undefined) ?? Promise.resolve();
  const mine = before.then(async () => {
    // Later callers may have created names that this flush misses, so they need another one.
    waiting.delete(folder);
    running.set(folder, mine);
    try {
      await flush(folder);
    } finally {
      if (running.get(folder) === mine) running.delete(folder);
    }
  });
  waiting.set(folder, mine);
  return mine;
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
