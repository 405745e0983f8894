// What a command's end means to the shell, and which error leads to which end.

/** Documented in docs/commands.md; scripts depend on them. */
export const exitCode = {
  done: 0,
  runFailed: 1,
  usage: 2,
  partial: 3,
  auth: 4,
  notFound: 5,
  unreachable: 69,
  later: 75,
  interrupted: 130,
} as const;

/** An end that a command chose: what happened, and what a person can do about it. */
export class CliError extends Error {
  override name = 'CliError';
  readonly code: string;
  readonly fix: string;
  readonly exit: number;
  /** Further fields of the JSON error, such as the run it is about. */
  readonly details: object;

  constructor(exit: number, code: string, message: string, fix = '', details: object = {}) {
    super(message);
    this.exit = exit;
    this.code = code;
    this.fix = fix;
    this.details = details;
  }
}

export interface Explanation {
  exit: number;
  code: string;
  message: string;
  fix: string;
  details?: object;
}

const temporalFix = [
  'Start everything on this machine:      renderline dev',
  'Or point at a running Temporal server: export TEMPORAL_ADDRESS=host:7233',
].join('\n');

const apiFix = 'Check RENDERLINE_BASE_URL; `renderline doctor` looks at every part of the way.';

/** Errors are told apart by name and fields, so that no heavy module is loaded to explain one. */
export function explainError(error: unknown): Explanation {
  if (error instanceof CliError) return error;
  if (!(error instanceof Error)) return unexpected(String(error));
  const known =
    byName[error.name]?.(error) ?? explainApi(error) ?? explainErrno(error) ?? explainGrpc(error);
  return known ?? unexpected(error.message || error.name);
}

/**
 * What an error says, where a command can do without what failed.
 * @throws the error itself when it says that credentials were refused: then nothing that is planned could be done.
 */
export function explainUnlessRefused(error: unknown): Explanation {
  const explanation = explainError(error);
  if (explanation.exit === exitCode.auth) throw error;
  return explanation;
}

const byName: Record<string, ((error: Error) => Explanation | null) | undefined> = {
  ConfigError: (error) => pick(exitCode.usage, 'CONFIG', error.message, field(error, 'fix')),
  TemporalUnreachableError: (error) =>
    pick(
      exitCode.unreachable,
      'TEMPORAL_UNREACHABLE',
      error.message,
      field(error, 'fix') || temporalFix,
    ),
  WorkflowNotFoundError: () =>
    pick(exitCode.notFound, 'RUN_NOT_FOUND', 'There is no such run.', listRuns),
  NamespaceNotFoundError: (error) =>
    pick(exitCode.notFound, 'NAMESPACE_NOT_FOUND', error.message, field(error, 'fix')),
  TemporalServerNotFoundError: (error) =>
    pick(exitCode.unreachable, 'TEMPORAL_NOT_FOUND', error.message, ''),
  DevServerError: (error) =>
    pick(exitCode.unreachable, 'TEMPORAL_NOT_STARTED', error.message, temporalFix),
  TemporalDeniedError: (error) =>
    pick(exitCode.auth, 'TEMPORAL_DENIED', error.message, field(error, 'fix')),
  ConnectorError: (error) => {
    const code = field(error, 'code');
    const fix = field(error, 'fix');
    // Its message is complete in itself; here the fix has a line of its own.
    const message = error.message.replace(`; ${fix}`, '');
    return pick(connectorEnds[code] ?? exitCode.usage, code, message, fix);
  },
  LockTimeoutError: (error) =>
    pick(
      exitCode.later,
      'IN_USE',
      error.message,
      'Or use another folder: renderline dev --data DIR',
    ),
  RunCauseError: (error) => {
    const { runCause } = error as { runCause?: unknown };
    return pick(exitCode.usage, field(runCause, 'code'), error.message, field(runCause, 'fix'));
  },
  WhereError: (error) => pick(exitCode.usage, 'WHERE', error.message, field(error, 'fix')),
  GlobWorkError: (error) =>
    pick(exitCode.usage, 'GLOB', error.message, 'Use fewer globs, or fewer stars.'),
  ExpressionError: (error) =>
    pick(exitCode.usage, 'EXPRESSION_FAILED', error.message, 'Make it hold for every asset.'),
  AbortError: () => pick(exitCode.interrupted, 'INTERRUPTED', 'Interrupted.', ''),
  SandboxOptionError: (error) => pick(exitCode.usage, 'USAGE', error.message, ''),
  TransportError: (error) => pick(exitCode.unreachable, 'API_UNREACHABLE', error.message, apiFix),
  ResponseShapeError: (error) =>
    pick(
      exitCode.unreachable,
      'API_UNEXPECTED',
      error.message,
      `Is RENDERLINE_BASE_URL the API root? If it is, see what comes: renderline api ${field(error, 'operation')}`,
    ),
  RequestShapeError: (error) =>
    pick(
      exitCode.usage,
      'API_INPUT',
      error.message,
      `See: renderline api ${field(error, 'operation')} --help`,
    ),
  UnknownOperationError: (error) =>
    pick(exitCode.usage, 'UNKNOWN_OPERATION', error.message, 'See: renderline api --list'),
  OperationUnresolvedError: (error) =>
    pick(exitCode.usage, 'OPERATION_WITHOUT_PATH', error.message, ''),
  BudgetWaitError: (error) =>
    pick(exitCode.later, 'RATE_LIMITED', error.message, 'Try again in a minute.'),
};

const connectorEnds: Record<string, number | undefined> = {
  FOLDER_NOT_FOUND: exitCode.notFound,
  BUCKET_NOT_FOUND: exitCode.notFound,
  CREDENTIALS_MISSING: exitCode.auth,
  SECRET_NOT_ALLOWED: exitCode.auth,
  CREDENTIALS_REFUSED: exitCode.auth,
  ACCESS_DENIED: exitCode.auth,
  HOST_KEY_REFUSED: exitCode.auth,
  CONNECTOR_UNREACHABLE: exitCode.unreachable,
  TOO_MANY_OPEN_FILES: exitCode.later,
  FILE_GONE: exitCode.notFound,
  DISK_FULL: exitCode.later,
};

const listRuns = 'List what there is: renderline runs';

// Every error answer of the platform carries its HTTP status and its code.
function explainApi(error: Error): Explanation | null {
  const status = (error as { status?: unknown }).status;
  const code = field(error, 'code');
  if (typeof status !== 'number' || code === '') return null;
  const [exit, fix] = apiEnd(status, code);
  return pick(exit, code, error.message, field(error, 'fix') || fix);
}

function apiEnd(status: number, code: string): [number, string] {
  if (status === 401)
    return [exitCode.auth, 'Set RENDERLINE_API_KEY to a valid key of the workspace.'];
  if (code.endsWith('LIMIT_REACHED'))
    return [exitCode.later, 'Make room in the plan, or raise it; then try again.'];
  if (status === 403) return [exitCode.auth, 'The key may not do this; use another key or place.'];
  if (status === 404) return [exitCode.notFound, 'Check the id.'];
  if (status === 409 || status === 429) return [exitCode.later, 'Try again in a minute.'];
  if (status >= 500) return [exitCode.later, 'The platform failed; try again.'];
  return [exitCode.usage, 'Correct what was sent.'];
}

const errnoEnds: Record<string, ((path: string) => [number, string]) | undefined> = {
  ENOENT: (path) => [exitCode.notFound, path === '' ? '' : `Check the path: ${path}`],
  EISDIR: () => [exitCode.usage, 'Name a file, not a folder.'],
  ENOTDIR: () => [exitCode.usage, 'Name a folder, not a file.'],
  EACCES: () => [exitCode.usage, 'This user may not read or write there.'],
  EADDRINUSE: () => [exitCode.usage, 'Something listens there already; choose another --port.'],
  ENOSPC: () => [exitCode.later, 'The disk is full.'],
  EMFILE: () => [exitCode.later, 'Raise the limit of open files: ulimit -n 1024'],
  ECONNREFUSED: () => [exitCode.unreachable, apiFix],
  ENOTFOUND: () => [exitCode.unreachable, apiFix],
};

function explainErrno(error: Error): Explanation | null {
  const code = field(error, 'code');
  const end = errnoEnds[code]?.(field(error, 'path'));
  return end === undefined ? null : pick(end[0], code, error.message, end[1]);
}

// Status numbers of gRPC that a person can act on.
const grpcEnds: Record<number, readonly [number, string, string] | undefined> = {
  4: [exitCode.unreachable, 'TEMPORAL_UNREACHABLE', temporalFix],
  5: [exitCode.notFound, 'RUN_NOT_FOUND', listRuns],
  7: [exitCode.auth, 'TEMPORAL_DENIED', 'Check TEMPORAL_API_KEY and TEMPORAL_NAMESPACE.'],
  8: [exitCode.later, 'TEMPORAL_BUSY', 'The Temporal server asks to slow down; try again.'],
  14: [exitCode.unreachable, 'TEMPORAL_UNREACHABLE', temporalFix],
  16: [exitCode.auth, 'TEMPORAL_DENIED', 'Check TEMPORAL_API_KEY and TEMPORAL_NAMESPACE.'],
};

function explainGrpc(error: Error): Explanation | null {
  // Temporal's client wraps the transport's error: the status stands on the error or its cause.
  for (const candidate of [error, error.cause]) {
    const status = (candidate as { code?: unknown } | undefined)?.code;
    const end = typeof status === 'number' ? grpcEnds[status] : undefined;
    if (end !== undefined) {
      const details = field(candidate, 'details') || error.message;
      return pick(end[0], end[1], `Temporal: ${details}`, end[2]);
    }
  }
  return null;
}

function unexpected(message: string): Explanation {
  return pick(
    exitCode.runFailed,
    'INTERNAL',
    message,
    'This is a fault in Renderline; RENDERLINE_LOG=debug shows more.',
  );
}

function field(error: unknown, name: string): string {
  const value = (error as Record<string, unknown> | null)?.[name];
  return typeof value === 'string' ? value : '';
}

function pick(exit: number, code: string, message: string, fix: string): Explanation {
  return { exit, code, message, fix };
}
