import { computeBackoffMs } from '../api/errors/retry.ts';
import { escapeToOneLine } from '../api/responses/plain-text.ts';
import type { KnownFailure } from '../failures/define.ts';
import { pathFailures, storageFailures } from '../failures/storage.ts';
import type { RunCause } from '../plan/run/run-cause.ts';

const connectorFailures = { ...pathFailures, ...storageFailures };

export type ConnectorErrorCode = keyof typeof connectorFailures;

/** Thrown by all connectors. `message` includes the fix. */
export class ConnectorError extends Error {
  /** Compares by name, because a plugin imports this class from the package, and the program from its bundle. */
  static override [Symbol.hasInstance](value: unknown): value is ConnectorError {
    return value instanceof Error && value.name === 'ConnectorError' && 'isOfOneFile' in value;
  }

  override name = 'ConnectorError';
  readonly code: ConnectorErrorCode;
  /** The path that the caller passed. For errors of the whole connector, its root or type, or ''. */
  readonly path: string;
  /** The message without the fix, escaped to one line because it contains untrusted file names. */
  readonly what: string;
  /** A sentence, in which the full stop may be missing. */
  readonly fix: string;

  get failure(): KnownFailure {
    return connectorFailures[this.code];
  }

  /** True if only this file is affected, so that a run continues with other files. */
  get isOfOneFile(): boolean {
    return this.code in pathFailures;
  }

  get isTransient(): boolean {
    if (this.isOfOneFile) return this.code === 'FILE_BUSY';
    return this.failure.stops === null;
  }

  /** The cause with which this error stops a run. Null if the run continues. */
  get runCause(): RunCause | null {
    const { code, what: message, fix, failure } = this;
    return failure.stops && { code, message, fix, kind: failure.stops };
  }

  retryDelayMs(attempt: number): number | null {
    return this.isTransient ? computeBackoffMs(attempt) : null;
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
    this.fix = `${fix.slice(0, 1).toUpperCase()}${fix.slice(1)}`;
  }
}

/** Default maximum size of a file that is read as a whole. */
export const defaultMaxReadBytes = 16 * 1024 * 1024;

export function tooLargeError(path: string, bytes: number, maxBytes: number): ConnectorError {
  return new ConnectorError(
    'TOO_LARGE',
    path,
    `"${path}" has ${bytes} bytes, but at most ${maxBytes} can be read at once`,
    'check that the path leads to the intended file',
  );
}

export type FileAction = 'read' | 'write';

/** A code, with the reason and the fix for the message. */
export type ConnectorProblem = readonly [code: ConnectorErrorCode, reason: string, fix: string];

const noSpace: ConnectorProblem = [
  'DISK_FULL',
  'no space is left',
  'free some space, then resume the run',
];
const busy: ConnectorProblem = [
  'FILE_BUSY',
  'another program has the file open',
  'close the file in the other program',
];
const tooManyFiles: ConnectorProblem = [
  'TOO_MANY_OPEN_FILES',
  'too many files are open',
  "raise the worker's open-file limit (ulimit -n)",
];
const notAllowed: ConnectorProblem = [
  'UNWRITABLE',
  'writing is not allowed',
  "grant the worker's user write permission, then resume the run",
];

/** Problems by the system's error code. `other` applies to all other codes. */
type Problems = Readonly<Record<string, ConnectorProblem>> & { readonly other: ConnectorProblem };

const commonProblems: Readonly<Record<string, ConnectorProblem>> = {
  ENOSPC: noSpace,
  EDQUOT: noSpace,
  EFBIG: [
    'DISK_FULL',
    'the file exceeds the file size limit of this machine',
    'raise the file size limit, then resume the run',
  ],
  ENAMETOOLONG: ['HOSTILE_PATH', 'the name is too long', 'use a shorter file name'],
  ENOTDIR: ['NOT_A_FOLDER', 'a file exists where a folder is needed', 'move or rename that file'],
  EBUSY: busy,
  ETXTBSY: busy,
  EAGAIN: busy,
  EISDIR: ['FILE_REFUSED', 'a folder has the same name', 'rename that folder'],
  EMFILE: tooManyFiles,
  ENFILE: tooManyFiles,
};

const problems: Readonly<Record<FileAction, Problems>> = {
  read: {
    ...commonProblems,
    ENOENT: ['FILE_GONE', 'the file no longer exists', 'restore the file, or run again without it'],
    other: ['UNREADABLE', 'reading failed', 'check the permissions of the file and the disk'],
  },
  write: {
    ...commonProblems,
    ENOENT: [
      'FOLDER_NOT_FOUND',
      'the folder of the file was removed',
      'create the folder again, then resume the run',
    ],
    EROFS: [
      'UNWRITABLE',
      'the file system is read-only',
      'make the file system writable, then resume the run',
    ],
    EACCES: notAllowed,
    EPERM: notAllowed,
    ENOTEMPTY: notAllowed,
    EEXIST: notAllowed,
    other: [
      'UNWRITABLE',
      'writing failed',
      'check the disk or the network drive, then resume the run',
    ],
  },
};

/** Converts an operating system error. Returns other errors unchanged. @param location describes the connector */
export function toConnectorError(
  error: unknown,
  action: FileAction,
  path: string,
  location: string,
): unknown {
  if (error instanceof ConnectorError) return error;
  const errno = errnoOf(error);
  if (errno === undefined) return error;
  const [code, reason, fix] = problems[action][errno] ?? problems[action].other;
  const problem = `cannot ${action} "${path}" in ${location}: ${reason} (${errno})`;
  return new ConnectorError(code, path, problem, fix, { cause: error });
}

/** Returns the system's error code, such as ENOENT. */
export function errnoOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' && /^E[A-Z0-9]+$/.test(error.code) ? error.code : undefined;
}
