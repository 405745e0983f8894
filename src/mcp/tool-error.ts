// Errors of tools, with the same codes and messages as over REST.
import { z } from 'zod';
import { ApiError, RequestShapeError } from '../api/errors/errors.ts';
import { failureOf } from '../failures/classify-error.ts';

/** A failure with the code and the explanation that the caller of the tool reads. */
export class ToolError extends Error {
  override name = 'ToolError';
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** Formats an error as `CODE: explanation`, with a code of the platform if one fits. */
export function explainToolError(error: unknown): string {
  if (error instanceof ToolError) return `${error.code}: ${error.message}`;
  if (error instanceof ApiError) return `${error.code}: ${error.detail}`;
  if (error instanceof RequestShapeError) return `VALIDATION_ERROR: ${error.message}`;
  if (error instanceof z.ZodError) return `VALIDATION_ERROR: ${formatIssues(error)}`;
  if (!(error instanceof Error)) return `INTERNAL_ERROR: ${String(error)}`;
  const known = failureOf(error)?.failure.code ?? 'INTERNAL_ERROR';
  return `${error.name === 'AbortError' ? 'CANCELLED' : known}: ${error.message}`;
}

function formatIssues({ issues }: z.ZodError): string {
  return issues
    .map(({ path, message }) => `${path.join('.') || 'arguments'}: ${message}`)
    .join('; ');
}
