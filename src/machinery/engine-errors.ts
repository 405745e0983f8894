// Errors that the engine itself knows, beside the API's, the connectors' and the transfers'.
import { assetFailures } from '../failures/assets.ts';
import type { KnownCause } from '../failures/define.ts';
import { runFailures } from '../failures/runs.ts';
import type { RunCause } from '../plan/run-cause.ts';

interface RunCauseOptions {
  fix?: string;
  named?: string | null;
  parts?: readonly RunCauseError[];
}

/** In one message. */
const causesShown = 20;

/** An error that every asset of the run would meet, so the run pauses until it is mended. */
export class RunCauseError extends Error {
  override name = 'RunCauseError';
  readonly failure: KnownCause;
  readonly fix: string;
  /** The name that is wrong, as it was written; null where none is. */
  readonly named: string | null;

  readonly #parts: readonly RunCauseError[] | undefined;

  /** @param more `fix`: where more is known than what the code says; `parts`: of several errors in one */
  constructor(
    failure: KnownCause,
    message: string,
    { fix = failure.fix, named = null, parts }: RunCauseOptions = {},
  ) {
    super(message);
    this.failure = failure;
    this.fix = fix;
    this.named = named;
    this.#parts = parts;
  }

  /** What is wrong, one by one; itself alone where it is one thing. */
  get parts(): readonly RunCauseError[] {
    return this.#parts ?? [this];
  }

  /** All that is wrong as one error, under the code of the first. Whoever mends one name should know the others. */
  static ofAll([first, ...others]: readonly [RunCauseError, ...RunCauseError[]]): RunCauseError {
    if (others.length === 0) return first;
    const parts = [first, ...others].flatMap((error) => error.parts);
    const shown = parts.slice(0, causesShown).map(({ message }) => message);
    const more = parts.length > causesShown ? [`and ${parts.length - causesShown} more`] : [];
    const fixes = [...new Set(parts.map(({ fix }) => fix))];
    const text = [...shown, ...more].join('; ');
    return new RunCauseError(first.failure, text, { fix: fixes.join(' '), parts });
  }

  get runCause(): RunCause {
    const { failure, message, fix } = this;
    return { code: failure.code, message, fix, kind: failure.stops };
  }
}

/** Nothing is wrong with the assets: the step is tried again after `delayMs`. */
export class TryAgainError extends Error {
  override name = 'TryAgainError';
  readonly delayMs: number;

  constructor(message: string, delayMs: number) {
    super(message);
    this.delayMs = delayMs;
  }

  againAfterMs(): number {
    return this.delayMs;
  }
}

/** Something old could not be deleted for a passing reason; nothing else waits for it. */
export class NotDeletedYetError extends TryAgainError {
  override name = 'NotDeletedYetError';
}

/** It cannot be seen yet whether a creating call has worked; sent again now it might do its work twice. */
export class OutcomeOpenError extends TryAgainError {
  override name = 'OutcomeOpenError';

  constructor({ operation, assets }: { operation: string; assets: readonly string[] }) {
    super(
      `${operation} for ${assetsText(assets)} may be under way on the platform though its answer was lost; looking again soon`,
      20_000,
    );
  }
}

/** A call names an object that was made a moment ago, and the platform does not know it yet. */
export class NotVisibleYetError extends TryAgainError {
  override name = 'NotVisibleYetError';

  constructor(message: string, delayMs: number) {
    super(
      `${message}; it was made a moment ago and may not show everywhere yet, looking again`,
      delayMs,
    );
  }
}

/** This worker's key is of another workspace than the run; soon another worker may take it. */
export class OtherWorkspaceError extends TryAgainError {
  override name = 'OtherWorkspaceError';
  readonly code = runFailures.OTHER_WORKSPACE.code;

  constructor(message: string) {
    super(message, 2_000);
  }
}

/** A creating call may or may not have worked, and its key is too old to ask again (decision 003). */
export class OutcomeUnknownError extends Error {
  override name = 'OutcomeUnknownError';
  readonly failure = assetFailures.OUTCOME_UNKNOWN;
  readonly code = assetFailures.OUTCOME_UNKNOWN.code;
  readonly assets: readonly string[];

  constructor(intent: { operation: string; createdAt: string; assets: readonly string[] }) {
    super(
      `${intent.operation} for ${assetsText(intent.assets)} was sent at ${intent.createdAt} and its outcome was never seen; ` +
        'its key is no longer safe to repeat. Look on the platform whether the work exists, then run again.',
    );
    this.assets = intent.assets;
  }

  againAfterMs(): null {
    return null;
  }
}

function assetsText({ length }: { length: number }): string {
  return length === 1 ? 'one asset' : `${length} assets`;
}
