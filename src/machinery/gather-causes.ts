// All that is wrong with several things that are looked up, in one error.
import { RunCauseError } from './engine-errors.ts';

/** Wrong names after which no other is looked up: each may cost requests. */
const mostCauses = 50;

/**
 * Does the work for each item, one after the other, also after one that has failed.
 *
 * @throws RunCauseError of all items whose work has thrown one, and any other error at once
 */
export async function gatherCauses<T, R>(
  items: Iterable<T>,
  work: (item: T) => R | Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  const causes: RunCauseError[] = [];
  for (const item of items) {
    try {
      results.push(await work(item));
    } catch (error) {
      if (!(error instanceof RunCauseError)) throw error;
      causes.push(error);
      if (causes.length >= mostCauses) break;
    }
  }
  const [first, ...others] = causes;
  if (first !== undefined) throw RunCauseError.ofAll([first, ...others]);
  return results;
}
