// Classifies refusals, that is, error responses that prove that the platform did not execute the request.
import { ApiError, KeyReusedError, notTheApi } from './errors.ts';

/**
 * - `content`: part of the request is wrong. A request without that part may succeed.
 * - `missing`: a resource that the request refers to does not exist or is not visible yet.
 * - `route`: the path, the method, the media type or the connection of the request is wrong.
 * - `rights`: the workspace, its plan or the location of the worker does not allow the operation.
 */
export type RefusalReason = 'content' | 'missing' | 'route' | 'rights';

/** Reasons that concern the content of a request. If one of many items causes the refusal, the others may succeed. */
export const itemReasons = ['content', 'missing'] as const satisfies readonly RefusalReason[];

export interface Refusal {
  blames: RefusalReason;
  error: ApiError;
}

/** Statuses from 400 to 499 that do not refuse the request: a rejected key, or a temporary error. */
const otherStatuses = new Set([401, 408, 409, 425, 429, 499]);

/**
 * The reference does not show every status. Any other one from 400 to 499 refuses the content if it has a code of the
 * platform. Otherwise, a proxy may have refused the request, so no item is to blame.
 */
const refusalReasonOf: Readonly<Record<number, RefusalReason | undefined>> = {
  400: 'content',
  402: 'rights',
  403: 'rights',
  404: 'missing',
  405: 'route',
  407: 'route',
  410: 'missing',
  413: 'content',
  415: 'route',
  421: 'route',
  422: 'content',
  426: 'route',
  451: 'rights',
};

/**
 * Returns the refusal behind an error, or null for any other error, such as a rejected key (401), a temporary error
 * (409, 429, 5xx, a gateway without a route), a lost response, or a reused idempotency key, which leaves the outcome
 * unknown.
 * @param among reasons that the caller can handle; @default all
 */
export function findRefusal(error: unknown, among?: readonly RefusalReason[]): Refusal | null {
  if (!(error instanceof ApiError) || error instanceof KeyReusedError) return null;
  const { status, code } = error;
  if (status >= 500 || otherStatuses.has(status) || code === notTheApi) return null;
  const fallback = code === `HTTP_${status}` ? 'route' : 'content';
  const blames = refusalReasonOf[status] ?? fallback;
  if (among?.includes(blames) === false) return null;
  return { blames, error };
}

/**
 * True if the platform has executed no request with the idempotency key of the refused one. A proxy, or the check of the
 * location, refuses a request before the platform looks up the key, so an earlier request with it may have succeeded.
 */
export function refusesKey({ blames, error: { status, code } }: Refusal): boolean {
  if (code === 'GEO_RESTRICTED') return false;
  return blames === 'content' || code !== `HTTP_${status}`;
}
