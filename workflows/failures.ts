// Reads the error of a failed activity: the run's cause, or the code and message for its assets.
import {
  ActivityFailure,
  ApplicationFailure,
  CancelledFailure,
  TimeoutFailure,
} from '@temporalio/workflow';
import { runCauseType } from '../src/plan/contract/contract.ts';
import type { RunCause } from '../src/plan/run/run-cause.ts';
import type { WorkflowFailureCode } from '../src/plan/run/workflow-failure-codes.ts';
import type { StepOutput } from '../src/plan/shard/step-contract.ts';

/** Returns the run's cause that an error carries, or null if there is none. */
export function findRunCause(error: unknown): RunCause | null {
  const cause = error instanceof ActivityFailure ? error.cause : error;
  if (!(cause instanceof ApplicationFailure) || cause.type !== runCauseType) return null;
  return (cause.details?.[0] as RunCause | undefined) ?? null;
}

/** Returns the requests that a step has sent before it failed permanently. */
export function requestsOfFailure(error: unknown): Record<string, number> {
  const cause = error instanceof ActivityFailure ? error.cause : error;
  if (!(cause instanceof ApplicationFailure)) return {};
  return (cause.details?.at(-1) as Partial<StepOutput> | undefined)?.requests ?? {};
}

/** Creates the failure that ends the run with a cause. */
export function runFailure(cause: RunCause): ApplicationFailure {
  return ApplicationFailure.create({
    message: `${cause.code}: ${cause.message}. ${cause.fix}`,
    type: runCauseType,
    nonRetryable: true,
    details: [cause],
  });
}

/** Returns a CancelledFailure if a cancellation prevented the retry of an activity. Returns other errors unchanged. */
export function asCancellation(error: unknown): unknown {
  const isRetryCancelled =
    error instanceof ActivityFailure && error.retryState === 'CANCEL_REQUESTED';
  if (!isRetryCancelled) return error;
  return new CancelledFailure(`it was cancelled before another attempt: ${error.cause?.message}`);
}

/** Returns the code and message for every asset of an activity that has failed permanently. */
export function assetFailureOf(error: unknown): { code: string; message: string } {
  const cause = error instanceof ActivityFailure ? error.cause : error;
  if (cause instanceof TimeoutFailure) {
    const code = 'TIMED_OUT' satisfies WorkflowFailureCode;
    return { code, message: `the step did not finish in time (${cause.timeoutType})` };
  }
  const code = 'ACTIVITY_FAILED' satisfies WorkflowFailureCode;
  if (cause instanceof ApplicationFailure) {
    return { code: cause.type ?? code, message: cause.message.slice(0, 400) };
  }
  return { code, message: String(error).slice(0, 400) };
}
