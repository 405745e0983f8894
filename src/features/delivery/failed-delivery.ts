// Fails an asset whose outputs cannot be copied, while other assets continue.
import { NotFoundError, ResponseShapeError, TransportError } from '../../api/errors/errors.ts';
import { ConnectorError } from '../../connectors/connector-error.ts';
import type { NodeContext } from '../../engine/node-context.ts';
import { assetFailures } from '../../failures/assets.ts';
import { type FailedResult, fail } from '../../failures/fail.ts';
import { approvalFailures } from '../decisions/failures.ts';
import { jobIdFields } from '../renders/failures.ts';
import { DeliveryError } from './outputs/output-error.ts';

export interface FailedDelivery {
  key: string;
  error: DeliveryError;
}

/** From this attempt on, a total outage fails the assets. Earlier attempts fail as a whole and are retried. */
const attemptsBeforeFailing = 5;

/** Turns errors that concern only this asset into a failure of the asset. Rethrows all other errors. */
export async function catchAssetFailure<T>(
  key: string,
  task: () => Promise<T>,
): Promise<T | FailedDelivery> {
  try {
    return await task();
  } catch (error) {
    if (error instanceof DeliveryError) return { key, error };
    if (error instanceof ResponseShapeError) {
      return { key, error: new DeliveryError(assetFailures.API_UNEXPECTED, error.message) };
    }
    if (error instanceof NotFoundError) {
      return { key, error: new DeliveryError(error, error.detail, 1, { cause: error }) };
    }
    if (!(error instanceof ConnectorError) || !error.isOfOneFile) throw error;
    return { key, error: new DeliveryError(error.failure, error.what) };
  }
}

export function failedResultOf({ key, error }: FailedDelivery): FailedResult {
  const { failure, message, attempts, isMissing } = error;
  // The next run must render the asset again instead of delivering the rejected picture.
  const isRejected = failure.code === approvalFailures.APPROVAL_REJECTED.code;
  return fail(failure, key, message, {
    attempts,
    ...(isMissing ? { missing: true } : {}),
    ...(isRejected ? { forgetIds: [...jobIdFields] } : {}),
  });
}

/** @throws the first error if all of several assets failed on the network, so that an early attempt is retried */
export function throwIfUnreachable(
  ends: readonly (FailedDelivery | object)[],
  { attempt }: Pick<NodeContext, 'attempt'>,
): void {
  const causes = ends.map((end) => ('error' in end ? end.error.cause : null));
  if (ends.length < 2 || !causes.every((cause) => cause instanceof TransportError)) return;
  if (attempt.number < attemptsBeforeFailing) throw causes[0];
}
