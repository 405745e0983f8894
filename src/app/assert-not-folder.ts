import { statSync } from 'node:fs';
import { commandFailures } from '../failures/commands.ts';
import { RenderlineError } from './renderline-error.ts';

/**
 * @returns the path.
 * @throws RenderlineError EISDIR if the path is a folder, because Node's errors while reading a folder do not name it
 */
export function assertNotFolder(path: string): string {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true)
    throw new RenderlineError(commandFailures.EISDIR, `${path} is a folder.`);
  return path;
}
