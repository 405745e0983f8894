// Turns what went wrong into what Temporal should do about it: try again when, give up, or stop the run.
import {
  ApplicationFailure,
  ApplicationFailureCategory,
  CancelledFailure,
} from '@temporalio/common';
import { ApiError, RequestShapeError, ResponseShapeError } from '../src/api/errors.ts';
import { backoffMs, classify } from '../src/api/retry.ts';
import { safeMessage } from '../src/api/scrub.ts';
import { ForbiddenAddressError, TransferTooLargeError } from '../src/api/transfer-errors.ts';
import { NoticeError, noticeDelayMs } from '../src/capabilities/notices/send-notice.ts';
import { ConnectorError } from '../src/connectors/connector-error.ts';
import { GlobWorkError } from '../src/language/glob-set.ts';
import {
  OutcomeUnknownError,
  RunCauseError,
  TryAgainError,
} from '../src/machinery/engine-errors.ts';
import { runCauseType } from '../src/plan/contract.ts';
import { type RunCause } from '../src/plan/run-cause.ts';

/** Attempts that an error nobody foresaw gets, before it fails its assets instead of looping. */
const unforeseenAttempts = 5;
const messageAtMost = 400;
/** A cause is told once for the whole run, and its reason stands behind the path. */
const causeAtMost = 1_200;
const finalErrors = [
  ApiError,
  RequestShapeError,
  ResponseShapeError,
  ConnectorError,
  GlobWorkError,
  ForbiddenAddressError,
  TransferTooLargeError,
  OutcomeUnknownError,
];

/** @param attempt of the activity, from 1. @param secrets are blotted out of every message. */
export function toFailure(error: unknown, attempt: number, secrets: readonly string[]): Error {
  if (error instanceof ApplicationFailure || error instanceof CancelledFailure) return error;
  const cause = causeOf(error);
  if (cause)
    return stopRun({ ...cause, message: safeMessage(cause.message, secrets, causeAtMost) });
  const message = safeMessage(
    error instanceof Error ? error.message : String(error),
    secrets,
    messageAtMost,
  );
  const type = codeOf(error);
  if (error instanceof NoticeError) {
    return error.final
      ? ApplicationFailure.create({ message, type, nonRetryable: true })
      : again(message, type, noticeDelayMs(error, attempt), false);
  }
  if (error instanceof TryAgainError) return again(message, type, error.delayMs, false);
  if (error instanceof ConnectorError && error.isPassing) {
    return again(message, type, backoffMs(attempt), false);
  }
  const answer = classify(error);
  switch (answer.kind) {
    case 'rate':
    case 'again-soon':
      return again(message, type, answer.delayMs, true);
    case 'backoff':
      return again(message, type, backoffMs(attempt), false);
    default:
      return giveUp(error, message, type, attempt);
  }
}

/** "Not yet": the wait looked and nothing had changed. No history, no error log, only a pending activity. */
export function notYet(what: string, delayMs: number): ApplicationFailure {
  return again(what, 'NOT_YET', delayMs, true);
}

function again(
  message: string,
  type: string,
  delayMs: number,
  benign: boolean,
): ApplicationFailure {
  return ApplicationFailure.create({
    message,
    type,
    nextRetryDelay: delayMs,
    ...(benign ? { category: ApplicationFailureCategory.BENIGN } : {}),
  });
}

function stopRun(cause: RunCause): ApplicationFailure {
  return ApplicationFailure.create({
    message: `${cause.code}: ${cause.message}`,
    type: runCauseType,
    nonRetryable: true,
    details: [cause],
  });
}

function causeOf(error: unknown): RunCause | null {
  if (error instanceof RunCauseError) return error.runCause;
  if (error instanceof ConnectorError) return causeOfStorage(error);
  const answer = classify(error);
  return answer.kind === 'run-cause' ? answer.cause : null;
}

/** Troubles of a whole connector; those of one file belong to its asset. */
function causeOfStorage(error: ConnectorError): RunCause | null {
  const { code, what, fix, stops } = error;
  return stops === null ? null : { code, message: what, fix, kind: stops };
}

/** Unforeseen errors, which another try may mend, get a few attempts; the rest is final. */
function giveUp(
  error: unknown,
  message: string,
  type: string,
  attempt: number,
): ApplicationFailure {
  const mendable = !isFinal(error) && attempt < unforeseenAttempts;
  if (mendable) return again(message, type, backoffMs(attempt), false);
  return ApplicationFailure.create({ message, type, nonRetryable: true });
}

/** The platform, storage or a connector has said that the request itself is wrong. */
function isFinal(error: unknown): boolean {
  return finalErrors.some((kind) => error instanceof kind);
}

function codeOf(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string')
    return error.code;
  return error instanceof Error ? error.name : 'UNKNOWN';
}
