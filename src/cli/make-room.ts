// The folder of a file that a person names, made before the work whose result it takes.
import { constants, statSync } from 'node:fs';
import { access, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { commandFailures } from '../failures/commands.ts';
import { CliError } from './exit.ts';

/**
 * Before work that may take minutes.
 * @throws CliError where a folder has the name; errors of the file system as they are
 */
export async function makeRoom(file: string): Promise<void> {
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory() === true) {
    throw new CliError(commandFailures.EISDIR, `${file} is a folder.`);
  }
  await mkdir(dirname(file), { recursive: true });
  await access(dirname(file), constants.W_OK);
}
