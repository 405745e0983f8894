// Names in folders on stable storage: a file that is flushed but whose name is not would be gone after a power
// cut. Who comes while a flush of the same folder waits or runs shares the next one.
import { DiskFile } from '../disk/disk-file.ts';
import { errnoOf } from './connector-error.ts';
import { openPatiently } from './patience.ts';

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

/** Settles when all names that the folder had at the call are durable. */
export function flushFolder(folder: string): Promise<void> {
  const next = waiting.get(folder);
  if (next) return next;
  const before = running.get(folder)?.catch(() => undefined) ?? Promise.resolve();
  const mine = before.then(async () => {
    // Whoever comes from here on may have made a name that this flush does not see.
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
    const handle = await openPatiently(() => DiskFile.open(folder));
    try {
      await handle.sync();
    } finally {
      handle.close();
    }
  } catch (error) {
    if (!notPossible.has(errnoOf(error) ?? '')) throw error;
  }
}
