// Creates the failure of one asset from a known code.
import type { ApiError } from '../api/errors/errors.ts';
import type { AssetResult, Failure } from '../plan/types.ts';
import type { KnownFailure } from './define.ts';

export type FailedResult = Extract<AssetResult, { outcome: 'failed' }>;

/** Why an asset fails, without the asset's key. */
export interface FailureReason {
  failure: KnownFailure;
  message: string;
}

type FailedDetails = Omit<FailedResult, 'key' | 'outcome' | 'code' | 'message'>;

/** Returns the failed result of an asset with the given code. `message` contains the details. */
export function fail(
  { code }: Pick<KnownFailure, 'code'>,
  key: string,
  message: string,
  resultDetails: FailedDetails = {},
): FailedResult {
  return { key, outcome: 'failed', code, message, ...resultDetails };
}

/** Fails an asset whose `what` no longer exists. @param forgetIds ids that a later run must not reuse */
export function failMissing(
  failure: KnownFailure,
  key: string,
  subject: string,
  forgetIds: NonNullable<FailedDetails['forgetIds']>,
): FailedResult {
  const message = `${subject} is not in the workspace; it was deleted or never created`;
  return fail(failure, key, message, { forgetIds, missing: true });
}

/** Creates the failed result of an asset, with the code and the message of the platform's error response. */
export function failRefused(
  { code, detail }: Pick<ApiError, 'code' | 'detail'>,
  key: string,
  resultDetails: FailedDetails = {},
): FailedResult {
  return fail({ code }, key, detail, resultDetails);
}

/** Creates the failure of a source that does not become an asset. It has no key, so its label is used instead. */
export function failSource(
  { code }: Pick<KnownFailure, 'code'>,
  label: string,
  node: string,
  message: string,
): Failure {
  return { key: label, node, code, message, attempts: 0 };
}
