// Decides what happens after an error of a step: stop the run, retry, or give up.
import { backoffMs, classify, isKnownFinal } from '../api/errors/retry.ts';
import type { RunCause } from '../plan/run/run-cause.ts';

/**
 * The verdict that an error of the layers above the API client carries itself.
 * `runCause`: why the run stops; null if the run continues. `retryDelayMs`: delay in ms between `attempt` and the
 * next one; null if a retry would not help.
 */
interface OwnVerdict {
  readonly runCause?: RunCause | null;
  readonly retryDelayMs?: (attempt: number) => number | null;
}

/** `isBenign`: nothing failed; the step was only too early. */
export type Verdict =
  | { kind: 'stop'; cause: RunCause }
  | { kind: 'retry'; delayMs: number; isBenign: boolean }
  | { kind: 'final' };

/** Number of attempts for an unexpected error. After them its assets fail, so that the step does not loop forever. */
const unforeseenAttempts = 5;

/** @param attempt the attempt that ended with the error, counted from 1 */
export function verdictOf(error: unknown, attempt: number): Verdict {
  if (hasOwnVerdict(error)) {
    if (error.runCause) return { kind: 'stop', cause: error.runCause };
    if (error.retryDelayMs) return retryVerdict(error.retryDelayMs(attempt));
  }
  const classified = classify(error);
  switch (classified.kind) {
    case 'run-cause':
      return { kind: 'stop', cause: classified.cause };
    case 'rate':
    case 'retry-soon':
      return { kind: 'retry', delayMs: classified.delayMs, isBenign: true };
    case 'backoff':
      return retryVerdict(backoffMs(attempt));
    default:
      return retryVerdict(
        isKnownFinal(error) || attempt >= unforeseenAttempts ? null : backoffMs(attempt),
      );
  }
}

function hasOwnVerdict(error: unknown): error is OwnVerdict {
  return error instanceof Error && ('runCause' in error || 'retryDelayMs' in error);
}

function retryVerdict(delayMs: number | null): Verdict {
  return delayMs === null ? { kind: 'final' } : { kind: 'retry', delayMs, isBenign: false };
}
