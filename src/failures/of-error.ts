// Finds the known failure that an error is, and its message: the same for commands and tools.
import { certificateCodes } from '../api/certificates.ts';
import {
  ApiError,
  BudgetWaitError,
  RequestShapeError,
  ResponseShapeError,
  TransportError,
} from '../api/errors.ts';
import { OperationUnresolvedError, UnknownOperationError } from '../api/route-errors.ts';
import type { OwnCode } from '../plan/contract.ts';
import { assetFailures } from './assets.ts';
import { commandFailures } from './commands.ts';
import type { KnownFailure } from './define.ts';
import { platformFailure } from './platform.ts';

/** Our errors above the API bring their own failure; `fix` and `what` where they know more than the code. */
interface KnownError extends Error {
  readonly failure: KnownFailure;
  readonly fix?: string;
  /** The message without its fix. */
  readonly what?: string;
}

export interface Told {
  failure: KnownFailure;
  message: string;
  fix: string;
}

/** Null for an error that nobody has given a code. */
export function failureOf(error: Error): Told | null {
  if (isKnown(error)) {
    const { failure, message, what = message, fix = failure.fix } = error;
    return { failure, message: what, fix };
  }
  if (isOfSettings(error)) {
    const { message, fix } = error;
    return { failure: commandFailures.CONFIG, message, fix };
  }
  const failure = ofApi(error);
  if (failure === null) return null;
  const { message } = error;
  const operation = 'operation' in error ? String(error.operation) : 'OPERATION';
  return { failure, message, fix: failure.fix.replace('OPERATION', operation) };
}

function isOfSettings(error: Error): error is Error & { fix: string } {
  return 'code' in error && error.code === ('CONFIG' satisfies OwnCode) && 'fix' in error;
}

/** Failures of Temporal have a field of this name too. */
function isKnown(error: Error): error is KnownError {
  if (!('failure' in error)) return false;
  const { failure } = error;
  return typeof failure === 'object' && failure !== null && 'exit' in failure;
}

function ofApi(error: Error): KnownFailure | null {
  if (error instanceof ApiError) return platformFailure(error);
  if (error instanceof TransportError) {
    return certificateCodes.includes(error.code)
      ? commandFailures.CERTIFICATE_REFUSED
      : commandFailures.API_UNREACHABLE;
  }
  if (error instanceof ResponseShapeError) return assetFailures.API_UNEXPECTED;
  if (error instanceof RequestShapeError) return commandFailures.API_INPUT;
  if (error instanceof BudgetWaitError)
    return platformFailure({ status: 429, code: 'RATE_LIMITED' });
  if (error instanceof UnknownOperationError) return commandFailures.UNKNOWN_OPERATION;
  if (error instanceof OperationUnresolvedError) return commandFailures.OPERATION_WITHOUT_PATH;
  return null;
}
