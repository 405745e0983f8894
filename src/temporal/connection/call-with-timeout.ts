// Limits how long a request waits for the response of Temporal.
import { WorkflowNotFoundError } from '@temporalio/common';

/** Time limits in ms, by what depends on the response. */
export const responseTimeoutMs = {
  /** Reads whose failure is tolerated: the answer is then left out, or asked for again. */
  short: 5_000,
  /**
   * A server on a busy machine needs many seconds: it asks a worker of its own to describe a schedule, and asks again after 5 s
   * each time that this worker is late. A server that is not there refuses the connection before.
   */
  usual: 60_000,
  /** Changes that the server passes on to every task queue before it answers. */
  routing: 60_000,
} as const;

/** A client of Temporal, or a connection. */
interface TemporalCaller {
  withDeadline<T>(deadline: number, call: () => Promise<T>): Promise<T>;
}

/** Makes the requests of `call`. @throws a gRPC error DEADLINE_EXCEEDED if they take longer than `timeoutMs` together */
export function callWithTimeout<T>(
  temporal: TemporalCaller,
  timeoutMs: number,
  call: () => Promise<T>,
): Promise<T> {
  return temporal.withDeadline(Date.now() + timeoutMs, call);
}

/**
 * Pages of a list of Temporal.
 * @param read reads one page; its token is empty for the first page
 */
export async function* tokenPages<Page extends { nextPageToken?: Uint8Array | null }>(
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

/** Null for the error that a workflow is not open, or not known. @throws every other error */
export function nullIfMissing(error: unknown): null {
  if (error instanceof WorkflowNotFoundError) return null;
  throw error;
}
