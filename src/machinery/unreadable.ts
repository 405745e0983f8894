// An answer of the platform that cannot be read fails the one asset that it is about, where it is about one.
import { ResponseShapeError } from '../api/errors.ts';
import { assetFailures } from '../failures/assets.ts';
import { fail } from '../failures/fail.ts';
import type { AssetResult } from '../plan/types.ts';

/** The failure of the asset that it is about. */
export function unreadableOf(key: string, { message }: ResponseShapeError): AssetResult {
  return fail(assetFailures.API_UNEXPECTED, key, message);
}

/** The answer of a read, or the error where it cannot be read. */
export async function orUnreadable<T>(read: () => Promise<T>): Promise<T | ResponseShapeError> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ResponseShapeError) return error;
    throw error;
  }
}
