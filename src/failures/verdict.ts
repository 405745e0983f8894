// Decides about an error of a step: stop the run, try again, or give up.
import { backoffMs, classify, isForeseen } from '../api/retry.ts';
import type { RunCause } from '../plan/run-cause.ts';

/**
 * The verdict that an error above the API brings with it.
 * `runCause`: why the run stops; null where it need not. `againAfterMs`: how long to wait before `attempt` is
 * followed by another, ms; null where none would help.
 */
interface OwnVerdict {
  readonly runCause?: RunCause | null;
  readonly againAfterMs?: (attempt: number) => number | null;
}

/** `isBenign`: nothing has failed, it was only too early. */
export type Verdict =
  | { is: 'stop'; cause: RunCause }
  | { is: 'again'; delayMs: number; isBenign: boolean }
  | { is: 'final' };

/** Attempts that an error nobody foresaw gets, before it fails its assets instead of looping. */
const unforeseenAttempts = 5;

/** @param attempt that has ended with the error, from 1 */
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
