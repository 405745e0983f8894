import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { dirname } from 'node:path';
import { assertNotFolder } from '../app/assert-not-folder.ts';
import { createFolder } from '../disk/create-folder.ts';

/**
 * Creates the folder of an output file. Call this before work that takes long, so that an unusable path fails at once.
 * @throws RenderlineError if the path is a folder; errors of the file system unchanged
 */
export async function ensureFolder(file: string): Promise<void> {
  assertNotFolder(file);
  await createFolder(dirname(file));
  await access(dirname(file), constants.W_OK);
}
