// Failures of requests: an error code of the platform with a message for people.
import { type ErrorCode, errorCodes } from 'renderline/api/contract/error-codes';

/** Thrown by handlers. It is sent as the platform's error body with the HTTP status of the code. */
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

/** Throws the failure. Usable as an expression: `store.models.get(id) ?? fail('MODEL_NOT_FOUND', …)`. */
export function fail(code: ErrorCode, message: string): never {
  throw new ApiFailure(code, message);
}

/** Refuses a request with VALIDATION_ERROR. */
export function refuseInput(message: string): never {
  throw new ApiFailure('VALIDATION_ERROR', message);
}

export const jsonHeaders = { 'content-type': 'application/json' };

/** Creates an error response of the API. */
export function errorResponse(status: number, code: string, message: string): Response {
  return new Response(formatErrorBody(code, message), { status, headers: jsonHeaders });
}

/** Formats the body of an error response of the API and of the controls. */
export function formatErrorBody(code: string, message: string): string {
  return JSON.stringify({ error: { code, message } });
}
