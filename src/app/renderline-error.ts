import { escapeToOneLine } from '../api/responses/plain-text.ts';
import { scrubSecrets } from '../api/responses/scrub.ts';
import { findForeignFailure, findKnownFailure } from '../failures/classify-error.ts';
import { commandFailures } from '../failures/commands.ts';
import type { KnownFailure } from '../failures/define.ts';
import { exitCode } from '../failures/exit-code.ts';

type ExitReason = Pick<KnownFailure, 'code' | 'fix' | 'docs'> & { readonly exit: number };

/** An error with a code from docs/errors.md, a message for the user and a fix. */
export class RenderlineError extends Error {
  override name = 'RenderlineError';
  readonly code: string;
  readonly fix: string;
  readonly exit: number;
  /** Path of the documentation, if the code has no entry of its own. */
  readonly docs: string | undefined;
  /** Additional fields of the JSON error, such as the run. */
  readonly details: object;
  /** True if nothing failed: the run waits for an approval that its pipeline requires, or a person answered no. */
  readonly isExpected: boolean;

  /** @param options `fix` replaces the default fix of the failure code */
  constructor(
    end: ExitReason,
    message: string,
    options: { fix?: string; details?: object; isExpected?: boolean; cause?: unknown } = {},
  ) {
    super(scrubSecrets(message), { cause: options.cause });
    this.exit = end.exit;
    this.code = end.code;
    this.docs = end.docs;
    this.fix = options.fix ?? end.fix;
    this.details = options.details ?? {};
    this.isExpected = options.isExpected ?? false;
  }
}

/** Creates the error for an invalid command line. */
export function usageError(message: string, fix: string = commandFailures.USAGE.fix) {
  return new RenderlineError(commandFailures.USAGE, message, { fix });
}

/** Creates the error for an invalid value. @param example a valid value with its option, variable or command */
export function badValueError(end: ExitReason, message: string, example: string): RenderlineError {
  return new RenderlineError(end, message, { fix: `For example: ${example}` });
}

/** Creates the error for work that was cancelled by its caller. */
export function interruptedError(message = 'Interrupted.'): RenderlineError {
  return new RenderlineError(commandFailures.INTERRUPTED, message, { fix: '' });
}

export interface Explanation {
  exit: number;
  code: string;
  message: string;
  fix: string;
  docs?: string | undefined;
  details?: object;
  isExpected?: boolean;
}

/** Runs the task and converts its errors. @throws RenderlineError */
export async function withRenderlineErrors<T>(task: () => Promise<T>): Promise<T> {
  try {
    return await task();
  } catch (error) {
    if (error instanceof RenderlineError) throw error;
    const { message, ...explanation } = explainError(error);
    throw new RenderlineError(explanation, message, { ...explanation, cause: error });
  }
}

export function explainError(error: unknown): Explanation {
  if (error instanceof RenderlineError) return error;
  if (!(error instanceof Error)) return toExplanation(commandFailures.INTERNAL, String(error));
  const known = findKnownFailure(error) ?? findForeignFailure(error);
  return known === null
    ? toExplanation(commandFailures.INTERNAL, error.message || error.name)
    : toExplanation(known.failure, known.message, known.fix);
}

/** Explains in one line an error of an optional part. @throws the error itself if credentials were refused */
export function explainUnlessUnauthorized(error: unknown): Explanation {
  const explanation = explainError(error);
  if (explanation.exit === exitCode.auth) throw error;
  return { ...explanation, message: escapeToOneLine(explanation.message) };
}

function toExplanation(failure: ExitReason, message: string, fix = failure.fix): Explanation {
  const { exit, code, docs } = failure;
  return { exit, code, message: scrubSecrets(message), fix, docs };
}
