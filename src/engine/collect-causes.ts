// Combines the errors of several lookups into one error.
import { RunCauseError } from './engine-errors.ts';

/** Number of errors after which no further items are processed, because each lookup may cost requests. */
const maxCauses = 50;

/**
 * Does the work for each item in turn, continuing after a RunCauseError.
 *
 * @throws RunCauseError that combines the RunCauseErrors of the items; any other error immediately
 */
export async function collectCauses<T, R>(
  items: Iterable<T>,
  task: (item: T) => R | Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  const causes: RunCauseError[] = [];
  for (const item of items) {
    try {
      results.push(await task(item));
    } catch (error) {
      if (!(error instanceof RunCauseError)) throw error;
      causes.push(error);
      if (causes.length >= maxCauses) break;
    }
  }
  const [first, ...others] = causes;
  if (first !== undefined) throw RunCauseError.combine([first, ...others]);
  return results;
}
