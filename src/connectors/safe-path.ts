// Validates relative paths. Pure, because connectors check links themselves.
import { windowsDevice } from '../plan/helpers/windows-device.ts';
import { ConnectorError } from './connector-error.ts';

export const maxPathChars = 1_024;
export const maxNameBytes = 255;

/** Returns why a path is refused, or null if it is safe. */
export function findPathProblem(path: string): string | null {
  if (path === '') return 'it is empty';
  if (path.includes('\0')) return 'it contains a NUL character';
  if (path.includes('\\')) return 'it contains a backslash';
  if (path.startsWith('/')) return 'it is absolute';
  if (/^[a-zA-Z]:/.test(path)) return 'it contains a drive letter';
  if (path.length > maxPathChars) return `it is longer than ${maxPathChars} characters`;
  // Node decodes invalid UTF-8 to this character, so the name cannot be passed back to the file system.
  if (path.includes('\uFFFD')) return 'its name is not valid text (UTF-8)';
  for (const part of path.split('/')) {
    if (part === '') return 'it contains an empty part between slashes';
    if (part === '.' || part === '..') return `it contains "${part}"`;
    if (windowsDevice.test(part)) return `"${part}" is a device name on Windows`;
    if (Buffer.byteLength(part) > maxNameBytes)
      return `a file or folder name in it is longer than ${maxNameBytes} bytes`;
  }
  return null;
}

/** Splits a safe relative path into its segments. @throws ConnectorError HOSTILE_PATH for any other path */
export function pathPartsOf(path: string): string[] {
  const reason = findPathProblem(path);
  if (reason !== null) {
    throw new ConnectorError(
      'HOSTILE_PATH',
      path,
      `path ${JSON.stringify(path)} is refused: ${reason}`,
      'use a relative path with plain names and forward slashes',
    );
  }
  return path.split('/');
}
