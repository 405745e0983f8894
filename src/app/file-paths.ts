// Checks paths of files before they are read or written.
import { constants, createReadStream, fstatSync, openSync, statSync } from 'node:fs';
import { access, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { Socket } from 'node:net';
import { dirname, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { createFolder } from '../disk/create-folder.ts';
import { commandFailures } from '../failures/commands.ts';
import { urlStart } from '../settings/file-fields.ts';
import { RenderlineError, usageError } from './renderline-error.ts';

/**
 * @returns the path.
 * @throws RenderlineError EISDIR if the path is a folder, because Node's errors while reading a folder do not name it
 */
export function assertNotFolder(path: string): string {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true)
    throw new RenderlineError(commandFailures.EISDIR, `${path} is a folder.`);
  return path;
}

/**
 * Opens a file or a named pipe that a person specified.
 * @throws RenderlineError EISDIR for a folder; errors of the file system unchanged
 */
export function openInputFile(path: string): Readable {
  const fd = openSync(assertNotFolder(path), constants.O_RDONLY | constants.O_NONBLOCK);
  // A pipe without a writer would block a thread of Node, and Ctrl-C could then not end the process.
  return fstatSync(fd).isFIFO() ? new Socket({ fd }) : createReadStream(path, { fd });
}

/**
 * Creates the folder of an output file. Call this before work that takes long, so that an unusable path fails at once.
 * @returns the absolute path
 * @throws RenderlineError if the path is a folder or a URL; errors of the file system unchanged
 */
export async function prepareOutputFile(cwd: string, path: string): Promise<string> {
  if (urlStart.test(path))
    throw usageError(
      `${path} is a URL, but output is written to a file.`,
      'Use the path of a file.',
    );
  const file = assertNotFolder(resolve(cwd, path));
  await createFolder(dirname(file));
  await access(dirname(file), constants.W_OK);
  return file;
}

/** Writes an output file in pieces. A regular file is replaced at the end, so that an error leaves the earlier one. */
export async function writeOutputFile(path: string, pieces: AsyncIterable<string>): Promise<void> {
  const file = await realpath(path).catch(() => path);
  const isReplaced = statSync(file, { throwIfNoEntry: false })?.isFile() ?? true;
  if (!isReplaced) return writeFile(file, pieces);
  const newFile = `${file}.${process.pid}.part`;
  try {
    await writeFile(newFile, pieces);
    await rename(newFile, file);
  } catch (error) {
    await rm(newFile, { force: true });
    throw error;
  }
}
