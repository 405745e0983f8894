// Checks that temporary files can be written: with a read-only root, as in a cluster, each run would fail at its first file.
import { mkdir, mkdtemp, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exitCode } from '../failures/exit-code.ts';
import { placeFailures } from '../failures/places.ts';
import { CliError } from './exit.ts';

export const temporaryFix =
  'Give the process a folder that it may write: in a container an empty volume at /tmp, elsewhere TMPDIR=FOLDER.';

/** The system's reason why nothing can be made in a folder; null where it can. The folder is made where it is missing. */
export async function whyUnwritable(folder: string): Promise<string | null> {
  try {
    await mkdir(folder, { recursive: true });
    await rmdir(await mkdtemp(join(folder, 'renderline-look-')));
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** @throws CliError where files on their way to a bucket or a server could not be kept. */
export async function needTemporaryFolder(folder: string = tmpdir()): Promise<void> {
  const reason = await whyUnwritable(folder);
  if (reason === null) return;
  const message = `Temporary files cannot be written to ${folder}: ${reason}.`;
  throw new CliError({ ...placeFailures.UNWRITABLE, exit: exitCode.usage }, message, {
    fix: temporaryFix,
  });
}
