// Locks a data folder for one sandbox, because two sandboxes would overwrite each other's state.
import { join } from 'node:path';
import { commandFailures } from '../../failures/commands.ts';
import { acquireFileLock, LockTimeoutError } from '../../temporal/server/file-lock.ts';
import { RenderlineError } from '../renderline-error.ts';

/** Time limit for getting the lock, long enough for a sandbox that is just shutting down. */
const waitLimitMs = 3_000;

/** Resolves to a function that releases the folder. @throws RenderlineError if another sandbox uses the folder */
export function lockSandboxData(folder: string): Promise<() => Promise<void>> {
  return acquireFileLock(join(folder, 'lock'), { waitLimitMs }).catch((error: unknown) => {
    if (!(error instanceof LockTimeoutError)) throw error;
    throw new RenderlineError(
      commandFailures.DATA_IN_USE,
      `A sandbox (${error.holder}) uses ${folder}.`,
    );
  });
}
