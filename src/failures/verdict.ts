// Decides what happens after an error of a step: stop the run, retry, or give up.
import { backoffMs, classify, isForeseen } from '../api/retry.ts';
import type { RunCause } from '../plan/run-cause.ts';

/**
 * The verdict that an error of the layers above the API client carries itself.
 * `runCause`: why the run stops; null if the run continues. `againAfterMs`: delay in ms between `attempt` and the
 * next one; null if a retry would not help.
 */
interface OwnVerdict {
  readonly runCause?: RunCause | null;
  readonly againAfterMs?: (attempt: number) => number | null;
}

/** `isBenign`: nothing failed; the step was only too early. */
export type Verdict =
  | { is: 'stop'; cause: RunCause }
  | { is: 'again'; delayMs: number; isBenign: boolean }
  | { is: 'final' };

/** Number of attempts for an unexpected error. After them its assets fail, so that the step does not loop forever. */
const unforeseenAttempts = 5;

/** @param attempt the attempt that ended with the error, counted from 1 */
export function verdictOf(error: unknown, attempt: number): Verdict {
  if (knowsItself(error)) {
    if (error.runCause) return { is: 'stop', cause: error.runCause };
    if (error.againAfterMs) return again(error.againAfterMs(attempt));
  }
  const answer = classify(error);
  switch (answer.kind) {
    case 'run-cause':
      return { is: 'stop', cause: answer.cause };
    case 'rate':
    case 'again-soon':
      return { is: 'again', delayMs: answer.delayMs, isBenign: true };
    case 'backoff':
      return again(backoffMs(attempt));
    default:
      return again(isForeseen(error) || attempt >= unforeseenAttempts ? null : backoffMs(attempt));
  }
}

function knowsItself(error: unknown): error is OwnVerdict {
  return error instanceof Error && ('runCause' in error || 'againAfterMs' in error);
}

function again(delayMs: number | null): Verdict {
  return delayMs === null ? { is: 'final' } : { is: 'again', delayMs, isBenign: false };
}
