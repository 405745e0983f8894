// The error class of the library. It carries the codes, messages and fixes that the commands print.
import { explainError } from '../cli-error.ts';

/** An error with a code of docs/errors.md and a fix. */
export class RenderlineError extends Error {
  override name = 'RenderlineError';
  readonly code: string;
  /** What to do about the error; empty if no fix is known. */
  readonly fix: string;
  /** Further data, such as the problems of a file. */
  readonly details: object;

  constructor(cause: unknown) {
    const { code, message, fix, details = {} } = explainError(cause);
    super(message, { cause });
    this.code = code;
    this.fix = fix;
    this.details = details;
  }
}

/** Does the work and converts its errors. @throws RenderlineError */
export async function withRenderlineErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof RenderlineError ? error : new RenderlineError(error);
  }
}
