// Failures of requests: a code of platform.md, section 7 with a message for people.
import { type ErrorCode, errorCodes } from 'renderline/api/error-codes';

/** Thrown by handlers; answered as the error envelope (2.1) with the code's own HTTP status. */
export class ApiFailure extends Error {
  override name = 'ApiFailure';
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string) {
    super(message);
    this.code = code;
  }

  get status(): number {
    return errorCodes[this.code].status;
  }
}

/** Throws the failure; reads as an expression: `store.models.get(id) ?? fail('MODEL_NOT_FOUND', …)`. */
export function fail(code: ErrorCode, message: string): never {
  throw new ApiFailure(code, message);
}

/** The body of every failed answer (2.1). */
export function errorBody(code: string, message: string): string {
  return JSON.stringify({ error: { code, message } });
}
