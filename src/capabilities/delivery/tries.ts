// Decides if a file is fetched again, when, and from which address. Pure.
import { TransportError } from '../../api/errors.ts';
import {
  ForbiddenAddressError,
  TransferError,
  TransferTooLargeError,
} from '../../api/transfer-errors.ts';
import { ConnectorError } from '../../connectors/connector-error.ts';
import type { Pause } from '../../machinery/pause-for.ts';
import { deliveryFailures } from './failures.ts';
import { OutputError } from './output-error.ts';

export interface Patience {
  pause: Pause;
  /** Nothing is tried again after this time, so that the attempt ends within its own. */
  untilMs: number;
}

/** A try that failed. */
export interface Trouble {
  error: TransportError | TransferError | OutputError | ConnectorError;
  /** Hash of the bytes, where all of them came. */
  sha256?: string;
}

/**
 * Six tries in a little more than two minutes: the first are for a connection that broke, the last outlive what a
 * content network keeps of a missing or broken file (ten seconds to a minute is usual) and a storage that is
 * overloaded for two minutes.
 */
const waitsMs = [1_000, 3_000, 10_000, 30_000, 90_000];

type Next = { afterMs: number; fresh: boolean };

/** null: the last trouble is the end of it. `fresh`: from the address that the platform gives now. */
export function nextTry(troubles: readonly Trouble[]): Next | null {
  const last = troubles.at(-1);
  const afterMs = waitsMs[troubles.length - 1];
  if (last === undefined || afterMs === undefined || isCertain(last, troubles)) return null;
  const fromAddress = troubles.filter(({ error }) => !(error instanceof ConnectorError));
  // The same address is tried twice, but not one that was refused.
  return { afterMs, fresh: fromAddress.length > 1 || last.error instanceof TransferError };
}

/** True where fetching it again would only show the same. */
function isCertain({ error, sha256 }: Trouble, troubles: readonly Trouble[]): boolean {
  if (error instanceof TransferTooLargeError) return true;
  const before = troubles.slice(0, -1);
  if (error instanceof ForbiddenAddressError) {
    return before.some((one) => one.error instanceof ForbiddenAddressError);
  }
  if (!(error instanceof OutputError)) return false;
  // A picture of one colour stays one, even in other bytes.
  const isBlank = (one: Trouble) =>
    one.error instanceof OutputError &&
    one.error.failure === deliveryFailures.OUTPUT_BLANK &&
    error.failure === deliveryFailures.OUTPUT_BLANK;
  return before.some((one) => one.sha256 === sha256 || isBlank(one));
}

/** Troubles that another try may mend; null for all others. */
export function troubleOf(error: unknown): Trouble['error'] | null {
  if (error instanceof TransportError || error instanceof TransferError) return error;
  return error instanceof ConnectorError && error.isPassing ? error : null;
}
