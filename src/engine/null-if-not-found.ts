// Reads resources that may have been deleted in the meantime.
import { NotFoundError } from '../api/errors/errors.ts';

/** Returns the result of a call, or null if the platform responds with 404. */
export async function nullIfNotFound<T>(call: () => Promise<T>): Promise<T | null> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof NotFoundError) return null;
    throw error;
  }
}
