// Loads the sandbox package. Nothing else imports it, because workers are installed without it.

import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { asRecord } from '../../api/unknown-values.ts';
import { commandFailures } from '../../failures/commands.ts';
import type { SandboxPackage } from '../../sandbox/interface.ts';
import { acquireFileLock, LockTimeoutError } from '../../temporal/server/file-lock.ts';
import { RenderlineError } from '../renderline-error.ts';

// With a literal in the import, the compiler would also compile the sandbox, which depends on this package.
const name: string = '@renderline/sandbox';

/** Imports the sandbox package. @throws RenderlineError SANDBOX_NOT_INSTALLED */
export async function loadSandbox(): Promise<SandboxPackage> {
  try {
    return await import(name);
  } catch (error) {
    if (!isModuleMissing(error)) throw error;
    const message = `The sandbox, ${name}, is not installed here.`;
    throw new RenderlineError(commandFailures.SANDBOX_NOT_INSTALLED, message);
  }
}

/** True if the package itself was not found, as opposed to one of its dependencies. */
function isModuleMissing(error: unknown): boolean {
  if (asRecord(error)['code'] !== 'ERR_MODULE_NOT_FOUND') return false;
  const folders = createRequire(import.meta.url).resolve.paths(name) ?? [];
  return !folders.some((folder) => existsSync(join(folder, name)));
}

/** Time limit for acquiring the lock. It is long enough for a sandbox that is shutting down. */
const waitLimitMs = 3_000;

/** Locks a data folder. @returns a function that releases it @throws RenderlineError if another sandbox uses it */
export function lockSandboxData(folder: string): Promise<() => Promise<void>> {
  return acquireFileLock(join(folder, 'lock'), { waitLimitMs }).catch((error: unknown) => {
    if (!(error instanceof LockTimeoutError)) throw error;
    throw new RenderlineError(
      commandFailures.DATA_IN_USE,
      `Another sandbox (${error.holder}) is using ${folder}.`,
    );
  });
}
