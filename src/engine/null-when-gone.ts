// Reads of things that may have been deleted in the meantime.
import { NotFoundError } from '../api/errors.ts';

/** What a read gives, or null where the platform answers that there is no such thing. */
export async function nullWhenGone<T>(read: () => Promise<T>): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof NotFoundError) return null;
    throw error;
  }
}
