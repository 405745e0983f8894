import { statSync } from 'node:fs';
import { commandFailures } from '../failures/commands.ts';
import { RenderlineError } from './renderline-error.ts';

/**
 * @returns the path.
 * @throws RenderlineError EISDIR if it is a folder: errors of Node while reading it do not name it
 */
export function assertNotFolder(path: string): string {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true)
    throw new RenderlineError(commandFailures.EISDIR, `${path} is a folder.`);
  return path;
}
