// Maps an error to its known failure and message, the same for commands and MCP tools.
import {
  ApiError,
  BudgetWaitError,
  RequestShapeError,
  ResponseShapeError,
  TransportError,
} from '../api/errors.ts';
import {
  faultFix,
  faultWords,
  type NetworkTrouble,
  networkFault,
  troubleOfCode,
} from '../api/network-errors.ts';
import { OperationUnresolvedError, UnknownOperationError } from '../api/route-errors.ts';
import type { OwnCode } from '../plan/own-code.ts';
import { assetFailures } from './assets.ts';
import { commandFailures } from './commands.ts';
import type { KnownFailure } from './define.ts';
import { placeFailures } from './places.ts';
import { platformFailure } from './platform.ts';

/** Errors of the layers above the API client carry their own failure; `fix` and `what` are more specific than the code. */
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

/** The failure of an error; null for an error without a known code. */
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

/** Temporal's errors have a field `failure` too, so its shape is checked. */
function isKnown(error: Error): error is KnownError {
  if (!('failure' in error)) return false;
  const { failure } = error;
  return typeof failure === 'object' && failure !== null && 'exit' in failure;
}

/** The failure of a network error that did not come through the API client; null for any other error. */
export function networkFailureOf(error: Error): Told | null {
  const fault = networkFault(error, 'the server');
  if (fault === null || fault.reason === fault.code) return null;
  const failure = byTrouble[fault.trouble];
  return { failure, message: faultWords(fault, 'the server'), fix: faultFix(fault) ?? failure.fix };
}

const byTrouble: Readonly<Record<NetworkTrouble, KnownFailure>> = {
  address: commandFailures.API_UNREACHABLE,
  certificate: placeFailures.CERTIFICATE_REFUSED,
  proxy: placeFailures.PROXY_REFUSED,
  unreachable: commandFailures.API_UNREACHABLE,
};

function ofApi(error: Error): KnownFailure | null {
  if (error instanceof ApiError) return platformFailure(error);
  if (error instanceof TransportError) return byTrouble[troubleOfCode(error.code)];
  if (error instanceof ResponseShapeError) return assetFailures.API_UNEXPECTED;
  if (error instanceof RequestShapeError) return commandFailures.API_INPUT;
  if (error instanceof BudgetWaitError)
    return platformFailure({ status: 429, code: 'RATE_LIMITED' });
  if (error instanceof UnknownOperationError) return commandFailures.UNKNOWN_OPERATION;
  if (error instanceof OperationUnresolvedError) return commandFailures.OPERATION_WITHOUT_PATH;
  return null;
}
