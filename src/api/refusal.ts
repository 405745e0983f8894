// Reads refusals: the platform has understood the request and made nothing of it.
import { ApiError, KeyReusedError, notTheApi } from './errors.ts';

/**
 * - `content`: something that the request says is wrong; a request without that may pass.
 * - `missing`: something that the request names is not there, or does not show yet.
 * - `route`: the operation is not where, or not how, it was sent.
 * - `rights`: the workspace, its plan or the place of the worker does not allow it.
 */
export type Blame = 'content' | 'missing' | 'route' | 'rights';

/** Blames of a request's content. When one of many items is to blame, the others may pass alone. */
export const contentOrMissing = ['content', 'missing'] as const satisfies readonly Blame[];

export interface Refusal {
  blames: Blame;
  error: ApiError;
}

const blameOf: Readonly<Record<number, Blame | undefined>> = {
  400: 'content',
  403: 'rights',
  404: 'missing',
  405: 'route',
  413: 'content',
  415: 'route',
  422: 'content',
};

/**
 * Null for everything else: a rejected key (401), an answer that may come later (409, 429, 5xx), a lost one,
 * and a reused idempotency key, which does not tell what it has made.
 * @param among refusals that the caller can deal with; default all
 */
export function refusalOf(error: unknown, among?: readonly Blame[]): Refusal | null {
  if (!(error instanceof ApiError) || error instanceof KeyReusedError) return null;
  const blames = error.code === notTheApi ? 'route' : blameOf[error.status];
  if (blames === undefined || among?.includes(blames) === false) return null;
  return { blames, error };
}
