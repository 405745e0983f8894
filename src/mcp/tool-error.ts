// A failed tool answers with the platform's code and words, as REST does.
import { ApiError, RequestShapeError, TransportError } from '../api/errors.ts';

/** Refused here; nothing was sent. */
export class ToolError extends Error {
  override name = 'ToolError';
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** `CODE: explanation`. Codes are those of section 7 wherever one fits. */
export function explainToolError(error: unknown): string {
  if (error instanceof ToolError) return `${error.code}: ${error.message}`;
  if (error instanceof ApiError) return `${error.code}: ${error.detail}`;
  if (error instanceof RequestShapeError) return `VALIDATION_ERROR: ${error.message}`;
  if (error instanceof TransportError) return `API_UNREACHABLE: ${error.message}`;
  const message = error instanceof Error ? error.message : String(error);
  const name = error instanceof Error ? error.name : 'Error';
  return `${ownCodes[name] ?? 'INTERNAL_ERROR'}: ${message}`;
}

const ownCodes: Readonly<Record<string, string>> = {
  BudgetWaitError: 'RATE_LIMITED',
  OperationUnresolvedError: 'OPERATION_WITHOUT_PATH',
  ResponseShapeError: 'API_UNEXPECTED',
  AbortError: 'CANCELLED',
};
