// Classifies errors. Determines the verdict on an error of a step, and the known failure of any error.
import {
  ApiError,
  BudgetWaitError,
  RequestShapeError,
  ResponseShapeError,
  TransportError,
} from '../api/errors/errors.ts';
import { classify, computeBackoffMs, isFinalError } from '../api/errors/retry.ts';
import { OperationUnresolvedError, UnknownOperationError } from '../api/errors/route-errors.ts';
import {
  classifyNetworkError,
  findNetworkErrorFix,
  formatNetworkError,
  type NetworkErrorKind,
  networkErrorKindOf,
} from '../api/network/network-errors.ts';
import { asRecord } from '../api/unknown-values.ts';
import type { RunCause } from '../plan/run/run-cause.ts';
import type { WorkflowFailureCode } from '../plan/run/workflow-failure-codes.ts';
import { assetFailures } from './assets.ts';
import { commandFailures } from './commands.ts';
import type { KnownFailure } from './define.ts';
import { findGrpcStatus, grpcCode } from './grpc-status.ts';
import { platformFailureOf } from './platform.ts';
import { storageFailures } from './storage.ts';

/**
 * An error from a layer above the API client. If set, `fix` and `what` are more specific than the texts of the failure.
 */
interface KnownError extends Error {
  readonly failure: KnownFailure;
  readonly fix?: string;
  /** The message without its fix. */
  readonly what?: string;
}

export interface ExplainedFailure {
  failure: KnownFailure;
  message: string;
  fix: string;
}

/** Returns the failure of an error, or null for an error without a known code. */
export function findKnownFailure(error: Error): ExplainedFailure | null {
  if (isKnownError(error)) {
    const { failure, message, what = message, fix = failure.fix } = error;
    return { failure, message: what, fix };
  }
  if (isConfigError(error)) {
    const { message, fix } = error;
    return { failure: commandFailures.CONFIG, message, fix };
  }
  const failure = findApiFailure(error);
  if (failure === null) return null;
  const { message } = error;
  const operation = 'operation' in error ? String(error.operation) : 'OPERATION';
  return { failure, message, fix: failure.fix.replace('OPERATION', operation) };
}

function isConfigError(error: Error): error is Error & { fix: string } {
  return (
    'code' in error && error.code === ('CONFIG' satisfies WorkflowFailureCode) && 'fix' in error
  );
}

/** True for an error with a known failure. Temporal's errors have a field `failure` too, so its shape is checked. */
function isKnownError(error: Error): error is KnownError {
  if (!('failure' in error)) return false;
  const { failure } = error;
  return typeof failure === 'object' && failure !== null && 'exit' in failure;
}

/** Finds the failure for an error of Node, Temporal's client, a library or the network. Null for any other error. */
export function findForeignFailure(error: Error): ExplainedFailure | null {
  return (
    findLibraryFailure(error) ??
    findSystemFailure(error) ??
    findGrpcFailure(error) ??
    findNetworkFailure(error) ??
    findOtherSystemFailure(error)
  );
}

/** Matches errors of libraries and of the sandbox by name, so that their modules need not be loaded. */
function findLibraryFailure(error: Error): ExplainedFailure | null {
  const { name, message } = error;
  const schedule = () => JSON.stringify(getText(error, 'scheduleId'));
  switch (name) {
    case 'WorkflowNotFoundError':
      return explain(
        commandFailures.RUN_NOT_FOUND,
        'The run is not open in Temporal: it has ended or never existed.',
      );
    case 'ScheduleNotFoundError':
      return explain(
        commandFailures.SCHEDULE_NOT_FOUND,
        `The schedule ${schedule()} no longer exists: somebody else just removed it.`,
      );
    case 'ScheduleAlreadyRunning':
      return explain(
        commandFailures.SCHEDULE_MADE_MEANWHILE,
        `Somebody else just created the schedule ${schedule()}.`,
      );
    case 'AbortError':
      return explain(commandFailures.INTERRUPTED, 'Interrupted.', '');
    case 'HelperStartError':
      return explain(commandFailures.PROCESS_NOT_STARTED, message);
    case 'SandboxOptionError':
      return explain(commandFailures.USAGE, message, 'See: renderline sandbox --help');
    default:
      return null;
  }
}

const systemFailures: Readonly<Record<string, KnownFailure | undefined>> = {
  ENOENT: commandFailures.ENOENT,
  EISDIR: commandFailures.EISDIR,
  ENOTDIR: commandFailures.ENOTDIR,
  EACCES: commandFailures.EACCES,
  EPERM: commandFailures.EACCES,
  EADDRINUSE: commandFailures.EADDRINUSE,
  ENOSPC: commandFailures.ENOSPC,
  EDQUOT: commandFailures.ENOSPC,
  EMFILE: commandFailures.EMFILE,
  ENFILE: commandFailures.EMFILE,
  ECONNREFUSED: commandFailures.ECONNREFUSED,
  ENOTFOUND: commandFailures.ENOTFOUND,
};

function findSystemFailure(error: Error): ExplainedFailure | null {
  const code = getText(error, 'code');
  if (code === 'EADDRNOTAVAIL' && getText(error, 'syscall') === 'listen')
    return explain(
      commandFailures.BAD_HOST,
      `This machine has no address ${getText(error, 'address')} to listen on.`,
      'Use an address of this machine, such as 127.0.0.1, or 0.0.0.0 for all its addresses.',
    );
  if (code === 'EACCES' && getText(error, 'syscall') === 'listen')
    return explain(
      commandFailures.EACCES,
      `This user is not permitted to listen on port ${String(asRecord(error)['port'])}.`,
      'Choose a port above 1023, or permit this user to use lower ports.',
    );
  // True if a file exists where a folder would be created.
  const isFileInTheWay = code === 'EEXIST' && getText(error, 'syscall') === 'mkdir';
  const failure = isFileInTheWay ? commandFailures.ENOTDIR : systemFailures[code];
  if (failure === undefined) return null;
  const path = code === 'ENOENT' ? getText(error, 'path') : '';
  const fix = path === '' ? failure.fix : `Check the path: ${path}`;
  const message = error.message.replace(listenCall, '$2: $1').replace(systemCall, '$2: $1');
  return explain(failure, message, fix);
}

/** Finds the failure for any other system-call error, such as a name that is too long or a failing disk. */
function findOtherSystemFailure(error: Error): ExplainedFailure | null {
  const isSystemError = typeof asRecord(error)['errno'] === 'number' && 'syscall' in error;
  return isSystemError
    ? explain(commandFailures.SYSTEM_ERROR, error.message.replace(systemCall, '$2: $1'))
    : null;
}

/** Matches `listen EADDRINUSE: address already in use 127.0.0.1:4010`. */
const listenCall = /^listen E[A-Z]+: (.+) (\S+)$/;

/** Matches an error message of Node about a file, such as `ENOENT: no such file or directory, open '/x'`. */
const systemCall = /^E[A-Z]+: (.+), \w+ '([^']*)'$/;

const grpcFailures: Readonly<Record<number, KnownFailure | undefined>> = {
  [grpcCode.deadlineExceeded]: commandFailures.TEMPORAL_UNREACHABLE,
  [grpcCode.notFound]: commandFailures.RUN_NOT_FOUND,
  [grpcCode.permissionDenied]: commandFailures.TEMPORAL_DENIED,
  [grpcCode.resourceExhausted]: commandFailures.TEMPORAL_BUSY,
  [grpcCode.unavailable]: commandFailures.TEMPORAL_UNREACHABLE,
  [grpcCode.unauthenticated]: commandFailures.TEMPORAL_DENIED,
};

function findGrpcFailure(error: Error): ExplainedFailure | null {
  const status = findGrpcStatus(error);
  if (status === null) return null;
  const { code, details } = status;
  // Errors of other libraries may have a numeric code too, but they have no details.
  const failure =
    grpcFailures[code] ?? (details === '' ? undefined : commandFailures.TEMPORAL_ERROR);
  return failure ? explain(failure, `Temporal: ${details || error.message}`) : null;
}

function getText(error: unknown, name: string): string {
  const value = asRecord(error)[name];
  return typeof value === 'string' ? value : '';
}

function findNetworkFailure(error: Error): ExplainedFailure | null {
  const networkError = classifyNetworkError(error, 'the server');
  if (networkError === null || networkError.reason === networkError.code) return null;
  const failure = networkFailures[networkError.errorKind];
  return {
    failure,
    message: formatNetworkError(networkError, 'the server'),
    fix: findNetworkErrorFix(networkError) ?? failure.fix,
  };
}

const networkFailures: Readonly<Record<NetworkErrorKind, KnownFailure>> = {
  address: commandFailures.API_UNREACHABLE,
  certificate: storageFailures.CERTIFICATE_REFUSED,
  proxy: storageFailures.PROXY_REFUSED,
  unreachable: commandFailures.API_UNREACHABLE,
};

function findApiFailure(error: Error): KnownFailure | null {
  if (error instanceof ApiError) return platformFailureOf(error);
  if (error instanceof TransportError) return networkFailures[networkErrorKindOf(error.code)];
  if (error instanceof ResponseShapeError) return assetFailures.API_UNEXPECTED;
  if (error instanceof RequestShapeError) return commandFailures.API_INPUT;
  if (error instanceof BudgetWaitError)
    return platformFailureOf({ status: 429, code: 'RATE_LIMITED' });
  if (error instanceof UnknownOperationError) return commandFailures.UNKNOWN_OPERATION;
  if (error instanceof OperationUnresolvedError) return commandFailures.OPERATION_WITHOUT_PATH;
  return null;
}

function explain(failure: KnownFailure, message: string, fix = failure.fix): ExplainedFailure {
  return { failure, message, fix };
}

/**
 * The verdict contained in an error from a layer above the API client. `runCause` says why the run stops. It is null if
 * the run continues. `retryDelayMs` is the delay in ms before the attempt that follows `attempt`. It is null if a retry
 * would not help.
 */
interface OwnVerdict {
  readonly runCause?: RunCause | null;
  readonly retryDelayMs?: (attempt: number) => number | null;
}

/** `isBenign` is true if nothing failed and the step was only too early. */
export type ErrorVerdict =
  | { kind: 'stop'; cause: RunCause }
  | { kind: 'retry'; delayMs: number; isBenign: boolean }
  | { kind: 'final' };

/** Maximum number of attempts after unexpected errors, so that a step does not retry them forever. */
const maxUnexpectedAttempts = 5;

/** @param attempt the attempt that ended with the error, counted from 1 */
export function verdictOf(error: unknown, attempt: number): ErrorVerdict {
  if (hasOwnVerdict(error)) {
    if (error.runCause) return { kind: 'stop', cause: error.runCause };
    if (error.retryDelayMs) return retryVerdict(error.retryDelayMs(attempt));
  }
  const classification = classify(error);
  switch (classification.kind) {
    case 'run-cause':
      return { kind: 'stop', cause: classification.cause };
    case 'rate':
    case 'retry-soon':
      return { kind: 'retry', delayMs: classification.delayMs, isBenign: true };
    case 'backoff':
      return retryVerdict(computeBackoffMs(attempt));
    default:
      return retryVerdict(
        isFinalError(error) || attempt >= maxUnexpectedAttempts ? null : computeBackoffMs(attempt),
      );
  }
}

function hasOwnVerdict(error: unknown): error is OwnVerdict {
  return error instanceof Error && ('runCause' in error || 'retryDelayMs' in error);
}

function retryVerdict(delayMs: number | null): ErrorVerdict {
  return delayMs === null ? { kind: 'final' } : { kind: 'retry', delayMs, isBenign: false };
}
