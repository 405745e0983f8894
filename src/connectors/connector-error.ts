import { backoffMs } from '../api/errors/retry.ts';
import { escapeToOneLine } from '../api/responses/plain-text.ts';
import type { KnownFailure } from '../failures/define.ts';
import { pathFailures, storageFailures } from '../failures/storage.ts';
import type { RunCause } from '../plan/run/run-cause.ts';

const connectorFailures = { ...pathFailures, ...storageFailures };

export type ConnectorErrorCode = keyof typeof connectorFailures;

/** Thrown by all connectors. `message` includes the fix. */
export class ConnectorError extends Error {
  /** Compares by name, because a plugin has this class from the package and the program has it from its bundle. */
  static override [Symbol.hasInstance](value: unknown): value is ConnectorError {
    return value instanceof Error && value.name === 'ConnectorError' && 'isOfOneFile' in value;
  }

  override name = 'ConnectorError';
  readonly code: ConnectorErrorCode;
  /** The path that the caller gave; for errors of the whole connector its root or type, or ''. */
  readonly path: string;
  /** The message without the fix, escaped to one line because it contains untrusted file names. */
  readonly what: string;
  readonly fix: string;

  get failure(): KnownFailure {
    return connectorFailures[this.code];
  }

  /** True if only this file is affected, so that a run continues with other files. */
  get isOfOneFile(): boolean {
    return this.code in pathFailures;
  }

  /** True if a retry may help. */
  get isTransient(): boolean {
    if (this.isOfOneFile) return this.code === 'FILE_BUSY';
    return this.failure.stops === null;
  }

  /** The cause with which a run stops because of this error; null if the run continues. */
  get runCause(): RunCause | null {
    const { code, what: message, fix, failure } = this;
    return failure.stops && { code, message, fix, kind: failure.stops };
  }

  retryDelayMs(attempt: number): number | null {
    return this.isTransient ? backoffMs(attempt) : null;
  }

  constructor(
    code: ConnectorErrorCode,
    path: string,
    problem: string,
    fix: string,
    options?: ErrorOptions,
  ) {
    const escapedText = escapeToOneLine(problem);
    super(`${escapedText}; ${fix}`, options);
    this.code = code;
    this.path = path;
    this.what = escapedText;
    this.fix = fix;
  }
}

/** Default maximum size of a file that is read as a whole. */
export const defaultMaxReadBytes = 16 * 1024 * 1024;

export function tooLargeError(path: string, bytes: number, maxBytes: number): ConnectorError {
  return new ConnectorError(
    'TOO_LARGE',
    path,
    `"${path}" has ${bytes} bytes, more than the ${maxBytes} that are read at once`,
    'check that this is the file that was meant',
  );
}

export type FileAction = 'read' | 'write';

const writeCodes = new Set(['EACCES', 'EPERM', 'ENOTEMPTY', 'EEXIST']);

/** Converts an error of the operating system; other errors pass unchanged. @param location describes the connector */
export function toConnectorError(
  error: unknown,
  action: FileAction,
  path: string,
  location: string,
): unknown {
  if (error instanceof ConnectorError) return error;
  const errno = errnoOf(error);
  if (errno === undefined) return error;
  const createError = (code: ConnectorErrorCode, reason: string, fix: string) =>
    new ConnectorError(
      code,
      path,
      `cannot ${action} "${path}" in ${location}: ${reason} (${errno})`,
      fix,
      {
        cause: error,
      },
    );
  switch (errno) {
    case 'ENOSPC':
    case 'EDQUOT':
      return createError('DISK_FULL', 'no space is left', 'free some space, then resume the run');
    case 'EFBIG':
      return createError(
        'DISK_FULL',
        'the file is too large here',
        'raise the file size limit, then resume the run',
      );
    case 'ENOENT':
      return action === 'read'
        ? createError(
            'FILE_GONE',
            'it does not exist any more',
            'put the file back or run again without it',
          )
        : createError(
            'FOLDER_NOT_FOUND',
            'its folder vanished',
            'create the folder again, then resume the run',
          );
    case 'ENAMETOOLONG':
      return createError('HOSTILE_PATH', 'the name is too long', 'use a shorter name');
    case 'ENOTDIR':
      return createError(
        'NOT_A_FOLDER',
        'a file exists where a folder is needed',
        'move that file away',
      );
    case 'EBUSY':
    case 'ETXTBSY':
    case 'EAGAIN':
      return createError('FILE_BUSY', 'another program has it open', 'close it there');
    case 'EISDIR':
      return createError('FILE_REFUSED', 'a folder has the same name', 'rename that folder');
    case 'EMFILE':
    case 'ENFILE':
      return createError(
        'TOO_MANY_OPEN_FILES',
        'too many files are open',
        'raise the limit of open files (ulimit -n) of the worker',
      );
  }
  if (action === 'write') {
    const [reason, fix] =
      errno === 'EROFS'
        ? ['it is read-only', 'make it writable']
        : writeCodes.has(errno)
          ? ['writing is not allowed', 'allow the user of the worker to write there']
          : ['writing failed', 'check the disk or the network drive'];
    return createError('UNWRITABLE', reason, `${fix}, then resume the run`);
  }
  return createError(
    'UNREADABLE',
    'reading failed',
    'check the permissions of the file and the disk',
  );
}

/** The system's error code, such as ENOENT. */
export function errnoOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' && /^E[A-Z0-9]+$/.test(error.code) ? error.code : undefined;
}
