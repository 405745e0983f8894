// Reads a failed activity's error: the run's cause, or the code and message of its assets.
import {
  ActivityFailure,
  ApplicationFailure,
  CancelledFailure,
  TimeoutFailure,
} from '@temporalio/workflow';
import { runCauseType } from '../src/plan/contract.ts';
import type { OwnCode } from '../src/plan/own-code.ts';
import type { RunCause } from '../src/plan/run-cause.ts';

/** The cause of the whole run that an error carries; null where it carries none. */
export function runCauseOf(error: unknown): RunCause | null {
  const cause = error instanceof ActivityFailure ? error.cause : error;
  if (!(cause instanceof ApplicationFailure) || cause.type !== runCauseType) return null;
  return (cause.details?.[0] as RunCause | undefined) ?? null;
}

/** Ends the run, and tells why. */
export function endOfRun(cause: RunCause): ApplicationFailure {
  return ApplicationFailure.create({
    message: `${cause.code}: ${cause.message}. ${cause.fix}`,
    type: runCauseType,
    nonRetryable: true,
    details: [cause],
  });
}

/** An activity that a cancel keeps from being retried counts as cancelled, not as failed. */
export function orCancelled(error: unknown): unknown {
  const isKeptBack = error instanceof ActivityFailure && error.retryState === 'CANCEL_REQUESTED';
  if (!isKeptBack) return error;
  return new CancelledFailure(`it was cancelled before another attempt: ${error.cause?.message}`);
}

/** Code and message for every asset of an activity that failed for good. */
export function assetFailureOf(error: unknown): { code: string; message: string } {
  const cause = error instanceof ActivityFailure ? error.cause : error;
  if (cause instanceof TimeoutFailure) {
    const code = 'TIMED_OUT' satisfies OwnCode;
    return { code, message: `the step did not end in time (${cause.timeoutType})` };
  }
  const code = 'ACTIVITY_FAILED' satisfies OwnCode;
  if (cause instanceof ApplicationFailure) {
    return { code: cause.type ?? code, message: cause.message.slice(0, 400) };
  }
  return { code, message: String(error).slice(0, 400) };
}
