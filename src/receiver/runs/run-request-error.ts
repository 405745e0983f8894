// Errors that refuse a request for a run. They contain only what the caller may know.
import { STATUS_CODES } from 'node:http';
import type { FieldProblem, Problem } from './messages.ts';

interface RefusalDetails {
  errors?: readonly FieldProblem[];
  headers?: Readonly<Record<string, string>>;
}

export class RunRequestError extends Error {
  override name = 'RunRequestError';
  readonly status: number;
  readonly code: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly #errors: readonly FieldProblem[] | undefined;

  /** @param detail text that is sent to the caller, so it must not contain secrets or anything about this machine */
  constructor(status: number, code: string, detail: string, refusalDetails: RefusalDetails = {}) {
    super(detail);
    this.status = status;
    this.code = code;
    this.headers = refusalDetails.headers ?? {};
    this.#errors = refusalDetails.errors;
  }

  get problem(): Problem {
    const { status, code, message: detail } = this;
    const errors = this.#errors && { errors: [...this.#errors] };
    const title = STATUS_CODES[status] ?? 'Error';
    return { type: 'about:blank', title, status, code, detail, ...errors };
  }
}

/** Creates one response for an unknown pipeline, a wrong credential and an old request, to conceal which it is. */
export function unauthorizedError(headers: RefusalDetails['headers'] = {}): RunRequestError {
  return new RunRequestError(
    401,
    'UNAUTHORIZED',
    'The pipeline does not exist, the credential is wrong, or the signature is older than five minutes.',
    { headers: { 'www-authenticate': 'Bearer', ...headers } },
  );
}

/** Creates the error for a request that could be served after the given seconds. */
export function retryLaterError(
  status: 429 | 503,
  code: string,
  detail: string,
  seconds: number,
): RunRequestError {
  return new RunRequestError(status, code, detail, { headers: { 'retry-after': String(seconds) } });
}

export function notFoundError(run: string): RunRequestError {
  return new RunRequestError(404, 'RUN_NOT_FOUND', `The pipeline has no run "${run}".`);
}
