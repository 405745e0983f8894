import { constants } from 'node:fs';
import { access, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { assertNotFolder } from '../app/assert-not-folder.ts';

/**
 * Creates the folder of an output file. Call before work that may take minutes, so that an unusable path fails at once.
 * @throws RenderlineError if the path is a folder; errors of the file system unchanged
 */
export async function ensureFolder(file: string): Promise<void> {
  assertNotFolder(file);
  await mkdir(dirname(file), { recursive: true });
  await access(dirname(file), constants.W_OK);
}
