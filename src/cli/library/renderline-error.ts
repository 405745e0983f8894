// The one error that programs meet: what the commands tell people, with the same codes.
import { explainError } from '../exit.ts';

/** What went wrong, with a code of docs/errors.md and what to do about it. */
export class RenderlineError extends Error {
  override name = 'RenderlineError';
  readonly code: string;
  /** Empty where nobody knows. */
  readonly fix: string;
  /** What a command would know besides, such as the problems of a file. */
  readonly details: object;

  constructor(cause: unknown) {
    const { code, message, fix, details = {} } = explainError(cause);
    super(message, { cause });
    this.code = code;
    this.fix = fix;
    this.details = details;
  }
}

/** Does the work, and gives its errors as programs meet them. */
export async function told<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof RenderlineError ? error : new RenderlineError(error);
  }
}
