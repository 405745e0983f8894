// Checks that temporary files can be written. On a read-only root file system, every run would fail at its first file.
import { mkdtemp, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFolder } from '../../disk/create-folder.ts';
import { exitCode } from '../../failures/exit-code.ts';
import { storageFailures } from '../../failures/storage.ts';
import { RenderlineError } from '../renderline-error.ts';

export const temporaryFix =
  'Provide a writable folder: in a container, mount an empty volume at /tmp; elsewhere, set TMPDIR=FOLDER.';

/** Creates the folder if it is missing. Returns the system's reason if nothing can be created in it, or else null. */
export async function findUnwritableReason(folder: string): Promise<string | null> {
  try {
    await createFolder(folder);
    await rmdir(await mkdtemp(join(folder, 'renderline-look-')));
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** @throws RenderlineError if the folder for files in transit to a bucket or server is not writable */
export async function assertTemporaryFolder(folder: string = tmpdir()): Promise<void> {
  const reason = await findUnwritableReason(folder);
  if (reason === null) return;
  const message = `Temporary files cannot be written to ${folder}: ${reason}.`;
  throw new RenderlineError({ ...storageFailures.UNWRITABLE, exit: exitCode.usage }, message, {
    fix: temporaryFix,
  });
}
