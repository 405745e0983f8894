// Maps errors to failures that are retried, are final or stop the run. Messages are safe to keep in a history.
import {
  ApplicationFailure,
  ApplicationFailureCategory,
  CancelledFailure,
} from '@temporalio/common';
import type { RequestCounter } from '../src/api/request-counter.ts';
import { toSafeMessage } from '../src/api/responses/scrub.ts';
import { verdictOf } from '../src/failures/classify-error.ts';
import { runCauseType } from '../src/plan/contract/contract.ts';
import type { RunCause } from '../src/plan/run/run-cause.ts';
import type { StepOutput } from '../src/plan/shard/step-contract.ts';

const maxMessageLength = 400;
/** Maximum length of a cause's message. The reason in it may follow a long path. */
const maxCauseLength = 1_200;

/**
 * Converts an error to the failure that is reported to Temporal. Failures of Temporal itself are returned unchanged.
 * @param attempt number of the attempt, starting at 1
 * @param secrets are removed from every message
 */
export function toFailure(error: unknown, attempt: number, secrets: readonly string[]): Error {
  if (error instanceof ApplicationFailure || error instanceof CancelledFailure) return error;
  const verdict = verdictOf(error, attempt);
  if (verdict.kind === 'stop') return runStopFailure(verdict.cause, secrets);
  const text = error instanceof Error ? error.message : String(error);
  const message = toSafeMessage(text, secrets, maxMessageLength);
  const type = codeOf(error);
  return verdict.kind === 'retry'
    ? retryFailure(message, type, verdict.delayMs, verdict.isBenign)
    : ApplicationFailure.create({ message, type, nonRetryable: true });
}

/**
 * Adds the requests that nobody has reported. The workflow counts those of a final failure, which no later attempt can
 * report. `show` mentions those of a failure that is retried.
 */
export function withRequests(failure: Error, requests: RequestCounter): Error {
  if (!(failure instanceof ApplicationFailure) || requests.total === 0) return failure;
  const { message, type, nonRetryable, nextRetryDelay, category, details } = failure;
  const counts = nonRetryable === true ? requests.take() : requests.snapshot();
  const report: Pick<StepOutput, 'requests'> = { requests: counts.byOperation };
  const reported = [...(details ?? []), report];
  const cause = undefined;
  return new ApplicationFailure(
    message,
    type,
    nonRetryable,
    reported,
    cause,
    nextRetryDelay,
    category,
  );
}

/** Creates a failure that is retried later, as after an unchanged poll. Adds no history event and no error log. */
export function notReadyFailure(message: string, delayMs: number): ApplicationFailure {
  return retryFailure(message, 'NOT_YET', delayMs, true);
}

/** Creates the failure of an activity that its worker hands over. Temporal retries the activity almost immediately. */
export function handOverFailure(): ApplicationFailure {
  const message = 'the worker is stopping, so another worker takes over';
  return retryFailure(message, 'HANDED_OVER', 250, true);
}

/** Creates a failure that is retried after the delay. @param isBenign true if the retry is expected and logs no error */
export function retryFailure(
  message: string,
  type: string,
  delayMs: number,
  isBenign: boolean,
): ApplicationFailure {
  return ApplicationFailure.create({
    message,
    type,
    nextRetryDelay: delayMs,
    ...(isBenign ? { category: ApplicationFailureCategory.BENIGN } : {}),
  });
}

/** Returns the cause if an error stops the whole run, otherwise null. */
export function findRunCause(error: unknown, secrets: readonly string[]): RunCause | null {
  const verdict = verdictOf(error, 1);
  return verdict.kind === 'stop' ? cleanCause(verdict.cause, secrets) : null;
}

function cleanCause(stop: RunCause, secrets: readonly string[]): RunCause {
  return { ...stop, message: toSafeMessage(stop.message, secrets, maxCauseLength) };
}

function runStopFailure(stop: RunCause, secrets: readonly string[]): ApplicationFailure {
  const cause = cleanCause(stop, secrets);
  return ApplicationFailure.create({
    message: `${cause.code}: ${cause.message}`,
    type: runCauseType,
    nonRetryable: true,
    details: [cause],
  });
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'UNKNOWN';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}
