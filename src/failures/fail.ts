// The failure of one asset, made of a known code.
import type { ApiError } from '../api/errors.ts';
import type { AssetResult, Failure } from '../plan/types.ts';
import type { KnownFailure } from './define.ts';

export type Failed = Extract<AssetResult, { outcome: 'failed' }>;

/** A reason to fail whose asset is named elsewhere. */
export interface Fault {
  failure: KnownFailure;
  message: string;
}

type More = Omit<Failed, 'key' | 'outcome' | 'code' | 'message'>;

/** Fails an asset with the code of `failure`; `message` has the particulars. */
export function fail(
  { code }: Pick<KnownFailure, 'code'>,
  key: string,
  message: string,
  more: More = {},
): Failed {
  return { key, outcome: 'failed', code, message, ...more };
}

/** Fails an asset with the platform's own code and words for its refusal. */
export function failRefused(
  { code, detail }: Pick<ApiError, 'code' | 'detail'>,
  key: string,
  more: More = {},
): Failed {
  return fail({ code }, key, detail, more);
}

/** Failure of a source that is left out before it becomes an asset. It stands under its label, since it has no key. */
export function failSource(
  { code }: Pick<KnownFailure, 'code'>,
  label: string,
  node: string,
  message: string,
): Failure {
  return { key: label, node, code, message, attempts: 0 };
}
