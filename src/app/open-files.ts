// Checks the limit of open files. A worker process that reaches it crashes together with its running activities.
import { readFile } from 'node:fs/promises';
import { exitCode } from '../failures/exit-code.ts';
import { storageFailures } from '../failures/storage.ts';
import { RenderlineError } from './renderline-error.ts';

/** Limit that a worker needs. With hundreds of assets in progress, about 100 open files were measured. */
export const minOpenFiles = 256;
export const openFilesFix =
  'Raise the limit in the shell or service that starts it: ulimit -n 8192';

/** Reads the limit of this process, which may be infinite. Returns null if the system does not report a limit. */
export async function readOpenFilesLimit(file = '/proc/self/limits'): Promise<number | null> {
  const text = await readFile(file, 'utf8').catch(() => '');
  const limit = /^Max open files\s+(\d+|unlimited)\b/m.exec(text)?.[1];
  if (limit === undefined) return null;
  return limit === 'unlimited' ? Number.POSITIVE_INFINITY : Number(limit);
}

/** @throws RenderlineError if the limit is too low for a worker */
export function assertOpenFilesLimit(limit: number | null): void {
  if (limit === null || limit >= minOpenFiles) return;
  const failure = { ...storageFailures.TOO_MANY_OPEN_FILES, exit: exitCode.usage };
  const message = `This process may open only ${limit} files at the same time; a worker needs ${minOpenFiles}.`;
  throw new RenderlineError(failure, message, { fix: openFilesFix });
}

/** Loads a module. After an error, checks the limit: without free descriptors, Node reports packages as missing. */
export async function loadOrExplain<T>(limit: number | null, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    assertOpenFilesLimit(limit);
    throw error;
  }
}
