// Maps an error to its known failure and message, the same for commands and MCP tools.
import {
  ApiError,
  BudgetWaitError,
  RequestShapeError,
  ResponseShapeError,
  TransportError,
} from '../api/errors/errors.ts';
import { OperationUnresolvedError, UnknownOperationError } from '../api/errors/route-errors.ts';
import {
  faultFix,
  formatFault,
  type NetworkErrorKind,
  networkErrorKindOf,
  networkFault,
} from '../api/network/network-errors.ts';
import type { WorkflowFailureCode } from '../plan/run/workflow-failure-codes.ts';
import { assetFailures } from './assets.ts';
import { commandFailures } from './commands.ts';
import type { KnownFailure } from './define.ts';
import { platformFailure } from './platform.ts';
import { storageFailures } from './storage.ts';

/** Errors of the layers above the API client carry their own failure; `fix` and `what` are more specific than the code. */
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

/** The failure of an error; null for an error without a known code. */
export function failureOf(error: Error): ExplainedFailure | null {
  if (isKnown(error)) {
    const { failure, message, what = message, fix = failure.fix } = error;
    return { failure, message: what, fix };
  }
  if (isConfigError(error)) {
    const { message, fix } = error;
    return { failure: commandFailures.CONFIG, message, fix };
  }
  const failure = apiFailureOf(error);
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

/** Temporal's errors have a field `failure` too, so its shape is checked. */
function isKnown(error: Error): error is KnownError {
  if (!('failure' in error)) return false;
  const { failure } = error;
  return typeof failure === 'object' && failure !== null && 'exit' in failure;
}

/** The failure of a network error that did not come through the API client; null for any other error. */
export function networkFailureOf(error: Error): ExplainedFailure | null {
  const fault = networkFault(error, 'the server');
  if (fault === null || fault.reason === fault.code) return null;
  const failure = byTrouble[fault.errorKind];
  return {
    failure,
    message: formatFault(fault, 'the server'),
    fix: faultFix(fault) ?? failure.fix,
  };
}

const byTrouble: Readonly<Record<NetworkErrorKind, KnownFailure>> = {
  address: commandFailures.API_UNREACHABLE,
  certificate: storageFailures.CERTIFICATE_REFUSED,
  proxy: storageFailures.PROXY_REFUSED,
  unreachable: commandFailures.API_UNREACHABLE,
};

function apiFailureOf(error: Error): KnownFailure | null {
  if (error instanceof ApiError) return platformFailure(error);
  if (error instanceof TransportError) return byTrouble[networkErrorKindOf(error.code)];
  if (error instanceof ResponseShapeError) return assetFailures.API_UNEXPECTED;
  if (error instanceof RequestShapeError) return commandFailures.API_INPUT;
  if (error instanceof BudgetWaitError)
    return platformFailure({ status: 429, code: 'RATE_LIMITED' });
  if (error instanceof UnknownOperationError) return commandFailures.UNKNOWN_OPERATION;
  if (error instanceof OperationUnresolvedError) return commandFailures.OPERATION_WITHOUT_PATH;
  return null;
}
