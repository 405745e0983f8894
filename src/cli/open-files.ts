// How many files this process may have open at once. Node ends a process that cannot open another one for its own use, and
// takes all that a worker has in hand with it.
import { readFile } from 'node:fs/promises';
import { exitCode } from '../failures/exit-code.ts';
import { placeFailures } from '../failures/places.ts';
import { CliError } from './exit.ts';

/** Seen with hundreds of assets under way: about a hundred. */
export const openFilesNeeded = 256;
export const openFilesFix =
  'Raise the limit in the shell or service that starts it: ulimit -n 1024';

/** null where the system does not say. */
export async function openFilesLimit(file = '/proc/self/limits'): Promise<number | null> {
  const text = await readFile(file, 'utf8').catch(() => '');
  const limit = /^Max open files\s+(\d+|unlimited)\b/m.exec(text)?.[1];
  if (limit === undefined) return null;
  return limit === 'unlimited' ? Number.POSITIVE_INFINITY : Number(limit);
}

/** @throws CliError where a worker would end for want of open files. */
export function needOpenFiles(limit: number | null): void {
  if (limit === null || limit >= openFilesNeeded) return;
  const message = `No more than ${limit} files may be open at once here; a worker needs ${openFilesNeeded}.`;
  throw new CliError({ ...placeFailures.TOO_MANY_OPEN_FILES, exit: exitCode.usage }, message, {
    fix: openFilesFix,
  });
}

/** Loads a part of the program; Node says of a package that it could not open for want of files that it is not there. */
export async function loadWithFiles<T>(limit: number | null, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    needOpenFiles(limit);
    throw error;
  }
}
