// Limits the effect of an unreadable response to the asset that it belongs to.
import { ResponseShapeError } from '../api/errors/errors.ts';
import { assetFailures } from '../failures/assets.ts';
import { fail } from '../failures/fail.ts';
import type { AssetResult } from '../plan/types.ts';

/** Creates the failed result of an asset whose response is unreadable. */
export function failUnreadable(key: string, { message }: ResponseShapeError): AssetResult {
  return fail(assetFailures.API_UNEXPECTED, key, message);
}

/** Returns the result of a read, or the error if the response is unreadable. */
export async function readOrUnreadable<T>(read: () => Promise<T>): Promise<T | ResponseShapeError> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ResponseShapeError) return error;
    throw error;
  }
}
