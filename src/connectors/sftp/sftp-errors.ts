// Converts errors of SFTP servers to our messages. Their own are never shown, because they may contain a key.

import { ForbiddenAddressError } from '../../api/errors/transfer-errors.ts';
import { classifyNetworkError } from '../../api/network/network-errors.ts';
import { asRecord } from '../../api/unknown-values.ts';
import { ConnectorError, type ConnectorProblem, type FileAction } from '../connector-error.ts';

/** Status codes of the protocol (draft-ietf-secsh-filexfer-02, section 7). */
export const status = {
  endOfFile: 1,
  noSuchFile: 2,
  permissionDenied: 3,
  failure: 4,
  unsupported: 8,
} as const;

/** Connection errors that the client does not define itself. */
export class SftpConnectionError extends Error {
  override name = 'SftpConnectionError';
  readonly kind: 'lost' | 'late' | 'hostile';

  constructor(kind: SftpConnectionError['kind'], message: string) {
    super(message);
    this.kind = kind;
  }
}

/** The server accepted no login method. `fix` is null if the credentials themselves must be corrected. */
export class LoginError extends Error {
  override name = 'LoginError';
  readonly fix: string | null;

  constructor(reason: string, fix: string | null) {
    super(reason);
    this.fix = fix;
  }
}

export function findStatus(error: unknown): number | undefined {
  const { code } = asRecord(error);
  return typeof code === 'number' ? code : undefined;
}

export interface SftpTerms {
  location: string;
  /** Names of the variables that contain the credentials. */
  credentials: string;
}

const accessDenied: ConnectorProblem = [
  'ACCESS_DENIED',
  'permission denied',
  'grant the user read and write permission on the server',
];
const noReplace: ConnectorProblem = [
  'CONNECTOR_MISCONFIGURED',
  'the server cannot replace files in one step (posix-rename@openssh.com)',
  'use a server that supports this, such as OpenSSH',
];
const failed = 'the server reported a failure';

const problems: Readonly<Record<number, Readonly<Record<FileAction, ConnectorProblem>>>> = {
  [status.noSuchFile]: {
    read: ['FILE_GONE', 'the file no longer exists', 'restore the file, or run again without it'],
    write: ['FOLDER_NOT_FOUND', 'the folder of the file was removed', 'create the folder again'],
  },
  [status.permissionDenied]: {
    read: [
      'UNREADABLE',
      'permission to read was denied',
      'grant the user read permission on the server',
    ],
    write: accessDenied,
  },
  [status.unsupported]: { read: noReplace, write: noReplace },
  [status.failure]: {
    read: ['UNREADABLE', failed, 'check the log of the server'],
    write: ['UNWRITABLE', failed, 'check free space and permissions on the server'],
  },
};

export function convertSftpError(
  error: unknown,
  action: FileAction,
  path: string,
  { location, credentials }: SftpTerms,
): unknown {
  if (error instanceof ConnectorError || !(error instanceof Error)) return error;
  const summary =
    path === '' ? `cannot ${action} ${location}` : `cannot ${action} "${path}" in ${location}`;
  const createError = (...[code, reason, fix]: ConnectorProblem) =>
    new ConnectorError(code, path, `${summary}: ${reason}`, fix);
  if (error instanceof SftpConnectionError && error.kind === 'hostile') {
    return createError(
      'HOSTILE_PATH',
      'the path is a link that leads out of the folder',
      'replace the link with the file itself',
    );
  }
  if (error instanceof ForbiddenAddressError) {
    const fix = 'correct the host of the connector, or its DNS entries';
    return createError('CONNECTOR_MISCONFIGURED', error.message, fix);
  }
  const code = findStatus(error) ?? 0;
  const isOfFolder = code === status.permissionDenied && path === '';
  const problem = isOfFolder ? accessDenied : problems[code]?.[action];
  if (problem !== undefined) return createError(...problem);
  if (error instanceof LoginError) {
    const reason = `the login was refused: ${error.message}`;
    return createError('CREDENTIALS_REFUSED', reason, error.fix ?? `correct ${credentials}`);
  }
  const networkProblem = reasonOf(error);
  if (networkProblem === null) return error;
  const reason = `no valid response was received (${networkProblem})`;
  return createError(
    'CONNECTOR_UNREACHABLE',
    reason,
    'check the host and port of the connector, and the network',
  );
}

export function levelOf(error: Error): string {
  const { level } = asRecord(error);
  return typeof level === 'string' ? level : '';
}

function reasonOf(error: Error): string | null {
  if (error instanceof SftpConnectionError) return error.kind;
  const networkError = classifyNetworkError(error, 'the server');
  if (networkError !== null) return `${networkError.reason}, ${networkError.code}`;
  const level = levelOf(error);
  return level === '' ? null : level;
}
