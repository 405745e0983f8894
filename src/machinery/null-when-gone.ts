// Things that may have been deleted in the meantime.
import { NotFoundError } from '../api/errors.ts';

/** Answer of a call, or null where the platform answers that there is no such thing. */
export async function nullWhenGone<T>(call: () => Promise<T>): Promise<T | null> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof NotFoundError) return null;
    throw error;
  }
}
