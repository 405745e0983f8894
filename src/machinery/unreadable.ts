// An answer of the platform that cannot be read is the trouble of what it is about, where that is one thing.
import { ResponseShapeError, unreadableCode } from '../api/errors.ts';
import type { AssetResult } from '../plan/types.ts';

/** The failure of the asset that it is about. */
export function unreadableOf(key: string, { message }: ResponseShapeError): AssetResult {
  return { key, outcome: 'failed', code: unreadableCode, message };
}

/** What a read gives, or why its answer cannot be read. */
export async function orUnreadable<T>(read: () => Promise<T>): Promise<T | ResponseShapeError> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ResponseShapeError) return error;
    throw error;
  }
}
