// Errors of the engine itself, in addition to those of the API, the connectors and the transfers.
import { assetFailures } from '../failures/assets.ts';
import type { KnownCause } from '../failures/define.ts';
import { runFailures } from '../failures/runs.ts';
import { limitLines } from '../plan/helpers/limit-lines.ts';
import type { RunCause } from '../plan/run/run-cause.ts';

interface RunCauseOptions {
  fix?: string;
  named?: string | null;
  parts?: readonly RunCauseError[];
}

/** Maximum number of causes in one message. */
const maxCausesShown = 20;

/** An error that would fail every asset of the run. Depending on `failure.stops`, the run pauses or ends instead. */
export class RunCauseError extends Error {
  override name = 'RunCauseError';
  readonly failure: KnownCause;
  readonly fix: string;
  /** The invalid name as it was written. Null if the error is not about a name. */
  readonly invalidName: string | null;

  readonly #parts: readonly RunCauseError[] | undefined;

  /** `fix` replaces the fix of the failure code, `named` is the invalid name, `parts` are the combined errors. */
  constructor(
    failure: KnownCause,
    message: string,
    { fix = failure.fix, named: invalidName = null, parts }: RunCauseOptions = {},
  ) {
    super(message);
    this.failure = failure;
    this.fix = fix;
    this.invalidName = invalidName;
    this.#parts = parts;
  }

  /** The errors that were combined. Contains only this error if none were. */
  get parts(): readonly RunCauseError[] {
    return this.#parts ?? [this];
  }

  /** Combines several errors under the code of the first one, so that a person can fix all names at once. */
  static combine([first, ...others]: readonly [RunCauseError, ...RunCauseError[]]): RunCauseError {
    if (others.length === 0) return first;
    const parts = [first, ...others].flatMap((error) => error.parts);
    const messages = parts.map(({ message }) => message);
    const text = limitLines(messages, maxCausesShown, (rest) => `and ${rest} more`).join('; ');
    const fixes = [...new Set(parts.map(({ fix }) => fix))];
    return new RunCauseError(first.failure, text, { fix: fixes.join(' '), parts });
  }

  get runCause(): RunCause {
    const { failure, message, fix } = this;
    return { code: failure.code, message, fix, kind: failure.stops };
  }
}

/** An error that is not caused by the assets. The step's activity is retried after `delayMs`. */
class RetryLaterError extends Error {
  override name = 'RetryLaterError';
  readonly delayMs: number;

  constructor(message: string, delayMs: number) {
    super(message);
    this.delayMs = delayMs;
  }

  retryDelayMs(): number {
    return this.delayMs;
  }
}

/** An old resource could not be deleted for a temporary reason. */
export class NotDeletedYetError extends RetryLaterError {
  override name = 'NotDeletedYetError';
}

/** The outcome of a creating call is not visible yet. Repeating the call now might create duplicates. */
export class OutcomePendingError extends RetryLaterError {
  override name = 'OutcomePendingError';

  constructor({ operation, assets }: { operation: string; assets: readonly string[] }) {
    super(
      `${operation} for ${formatAssetCount(assets)} may still be running on the platform, but its response was lost; checking again soon`,
      20_000,
    );
  }
}

/** A call refers to a resource that was created a moment ago and is not yet visible on all servers of the platform. */
export class NotVisibleYetError extends RetryLaterError {
  override name = 'NotVisibleYetError';

  constructor(message: string, delayMs: number) {
    super(
      `${message}; the object was created a moment ago and may not be visible everywhere yet; checking again`,
      delayMs,
    );
  }
}

/** This worker's API key does not belong to the run's workspace. Another worker may soon take over the task. */
export class OtherWorkspaceError extends RetryLaterError {
  override name = 'OtherWorkspaceError';
  readonly code = runFailures.OTHER_WORKSPACE.code;

  constructor(message: string) {
    super(message, 2_000);
  }
}

/** The outcome of a creating call is unknown, and its idempotency key is too old to send it again (decision 003). */
export class OutcomeUnknownError extends Error {
  override name = 'OutcomeUnknownError';
  readonly failure = assetFailures.OUTCOME_UNKNOWN;
  readonly code = assetFailures.OUTCOME_UNKNOWN.code;

  constructor(intent: { operation: string; createdAt: string; assets: readonly string[] }) {
    super(
      `${intent.operation} for ${formatAssetCount(intent.assets)} may have been sent at ${intent.createdAt} or later; the outcome of the call is unknown, ` +
        `and its idempotency key has expired. ${assetFailures.OUTCOME_UNKNOWN.fix}`,
    );
  }

  retryDelayMs(): null {
    return null;
  }
}

function formatAssetCount({ length }: { length: number }): string {
  return length === 1 ? 'one asset' : `${length} assets`;
}
