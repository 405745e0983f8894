// Repeats an activity of a shard after a timeout, and after each run cause that somebody has corrected.
import type { RunCause } from '../../src/plan/run/run-cause.ts';
import { asCancellation, findRunCause } from '../failures.ts';
import { TimedOutCalls } from './timed-out-calls.ts';

/** @param pause pauses the run for a cause, until somebody resumes the run */
export async function retryAfterResume<T>(
  task: () => Promise<T>,
  pause: (cause: RunCause) => Promise<void>,
): Promise<T> {
  const timedOutCalls = new TimedOutCalls();
  for (;;) {
    try {
      return await task();
    } catch (thrown) {
      const error = asCancellation(thrown);
      const cause = findRunCause(error);
      if (cause) await pause(cause);
      else if (timedOutCalls.takeRepeatable(error).length === 0) throw error;
    }
  }
}
