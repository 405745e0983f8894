import { TransportError } from '../../../api/errors/errors.ts';
import {
  ForbiddenAddressError,
  TransferError,
  TransferTooLargeError,
} from '../../../api/errors/transfer-errors.ts';
import { ConnectorError } from '../../../connectors/connector-error.ts';
import type { Sleep } from '../../../engine/sleep-for.ts';
import { deliveryFailures } from '../failures.ts';
import { OutputError } from './output-error.ts';

export interface RetryWindow {
  pause: Sleep;
  /** A failure after this time is not retried, so that the activity attempt ends within its timeout. */
  retryUntilAtMs: number;
}

export interface FetchFailure {
  error: TransportError | TransferError | OutputError | ConnectorError;
  /** Hash of the bytes, if the download was complete. */
  sha256?: string;
}

/**
 * Pauses between six attempts. The first retries cover broken connections. The last ones outlast a CDN that caches a
 * missing or broken file (usually ten seconds to a minute) and storage that is overloaded for two minutes.
 */
const retryDelaysMs = [1_000, 3_000, 10_000, 30_000, 90_000];

type NextRetry = { afterMs: number; needsNewUrl: boolean };

/** Returns when to retry. Null if the last failure is final. `needsNewUrl`: read a new URL from the platform first. */
export function chooseNextRetry(failures: readonly FetchFailure[]): NextRetry | null {
  const last = failures.at(-1);
  const afterMs = retryDelaysMs[failures.length - 1];
  if (last === undefined || afterMs === undefined || isFinalFailure(last, failures)) return null;
  const addressFailures = failures.filter(({ error }) => !(error instanceof ConnectorError));
  // The same URL is used twice, unless storage refused it.
  return {
    afterMs,
    needsNewUrl: addressFailures.length > 1 || last.error instanceof TransferError,
  };
}

/** True if a retry would have the same result. */
function isFinalFailure(
  { error, sha256 }: FetchFailure,
  failures: readonly FetchFailure[],
): boolean {
  if (error instanceof TransferTooLargeError) return true;
  const earlierFailures = failures.slice(0, -1);
  if (error instanceof ForbiddenAddressError) {
    return earlierFailures.some((failure) => failure.error instanceof ForbiddenAddressError);
  }
  if (!(error instanceof OutputError)) return false;
  // All blank pictures count as equal, because a blank picture stays blank even if its bytes differ.
  const isBlank = (failure: FetchFailure) =>
    failure.error instanceof OutputError &&
    failure.error.failure === deliveryFailures.OUTPUT_BLANK &&
    error.failure === deliveryFailures.OUTPUT_BLANK;
  return earlierFailures.some((failure) => failure.sha256 === sha256 || isBlank(failure));
}

/** Returns the error if a retry may fix it, and null otherwise. */
export function toRetryableError(error: unknown): FetchFailure['error'] | null {
  if (error instanceof TransportError || error instanceof TransferError) return error;
  return error instanceof ConnectorError && error.isTransient ? error : null;
}
