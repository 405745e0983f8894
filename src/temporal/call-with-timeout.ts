// Limits how long a request waits for the response of Temporal.
import { WorkflowNotFoundError } from '@temporalio/common';
import { grpcCode, hasGrpcCode } from '../failures/grpc-status.ts';

/** Time limits by the kind of request, ms. */
export const responseTimeoutMs = {
  /** Reads whose failure is tolerated, because the caller does without the response, or retries later. */
  short: 5_000,
  /**
   * Long, because a server on a busy machine is slow: to describe a schedule it queries an internal worker of its own,
   * retries after 5 s if that worker is late, and gives up after 30 s, so that the request is repeated. Without a
   * server the connection is refused much earlier.
   */
  usual: 60_000,
} as const;

/** A client of Temporal, or a connection. */
interface TemporalCaller {
  withDeadline<T>(deadline: number, call: () => Promise<T>): Promise<T>;
}

/**
 * Sends the requests of `call`. @throws a gRPC error DEADLINE_EXCEEDED if they take longer than `timeoutMs` together
 */
export function callWithTimeout<T>(
  temporal: TemporalCaller,
  timeoutMs: number,
  call: () => Promise<T>,
): Promise<T> {
  return temporal.withDeadline(Date.now() + timeoutMs, call);
}

/**
 * Reads the pages of a Temporal list one after another.
 * @param read reads one page. The token is empty for the first page
 */
export async function* readTokenPages<Page extends { nextPageToken?: Uint8Array | null }>(
  temporal: TemporalCaller,
  read: (nextPageToken: Uint8Array) => Promise<Page>,
): AsyncGenerator<Page> {
  let token: Uint8Array = new Uint8Array();
  do {
    const page = await callWithTimeout(temporal, responseTimeoutMs.usual, () => read(token));
    yield page;
    token = page.nextPageToken ?? new Uint8Array();
  } while (token.length > 0);
}

/** For `catch`: returns null if Temporal does not know the object, or if a workflow is closed. @throws any other error */
export function ignoreNotFound(error: unknown): null {
  if (error instanceof WorkflowNotFoundError || hasGrpcCode(error, grpcCode.notFound)) return null;
  throw error;
}
