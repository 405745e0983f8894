// Status codes of gRPC, and the status of an error.
import { asRecord } from '../api/unknown-values.ts';

export const grpcCode = {
  ok: 0,
  cancelled: 1,
  /** The request is invalid. */
  invalidArgument: 3,
  deadlineExceeded: 4,
  notFound: 5,
  alreadyExists: 6,
  permissionDenied: 7,
  resourceExhausted: 8,
  /** The object exists, but its state does not allow the request. */
  failedPrecondition: 9,
  /** The server does not support the request. */
  unimplemented: 12,
  unavailable: 14,
  unauthenticated: 16,
} as const;

/** Returns the status of a gRPC error or its cause, with the server's message in `details`. Null for other errors. */
export function findGrpcStatus(error: unknown): { code: number; details: string } | null {
  for (const candidate of [error, asRecord(error)['cause']]) {
    const { code, details } = asRecord(candidate);
    if (typeof code === 'number') {
      return { code, details: typeof details === 'string' ? details : '' };
    }
  }
  return null;
}

/** True if the error has this gRPC status. */
export function hasGrpcCode(error: unknown, code: number): boolean {
  return findGrpcStatus(error)?.code === code;
}
