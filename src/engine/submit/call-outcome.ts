// Outcomes of calls whose response was lost, as reads of the platform show them.

import { findRefusal, itemReasons } from '../../api/errors/refusal.ts';
import type { PlatformIds } from '../../plan/platform-ids.ts';
import type { Intent } from '../../store/calls/intents.ts';
import type { NodeContext } from '../node-context.ts';

/** Platform ids by asset key. Assets without created resources are missing. */
export type IdsByAsset = Record<string, PlatformIds>;

/**
 * - `done`: the call has worked; `created` is what the platform shows of its work.
 * - `not-done`: the call has not worked.
 * - `unknown`: the reads do not show whether it has worked.
 */
export type CallOutcome =
  | { state: 'done'; created: IdsByAsset }
  | { state: 'not-done' | 'unknown' };

/** `done` if a read found created resources, otherwise `not-done`. */
export function toCallOutcome(idsByAsset: IdsByAsset): CallOutcome {
  return Object.keys(idsByAsset).length > 0
    ? { state: 'done', created: idsByAsset }
    : { state: 'not-done' };
}

/** Time that the platform may keep working on a call after a gateway has timed out. */
const maxUnderWayMs = 60_000;

export function canBeUnderWay(
  { createdAt, ambiguousSince = createdAt }: Intent,
  context: NodeContext,
): boolean {
  return context.now() - Date.parse(ambiguousSince) < maxUnderWayMs;
}

/**
 * Returns the result of a read, or `nothing` if the platform refuses it, which must not look like a refused call.
 */
export async function readOrElse<T>(nothing: T, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (findRefusal(error, itemReasons)) return nothing;
    throw error;
  }
}

/** Options of requests about a creating call. */
export function callOptions({ requests, signal }: Pick<NodeContext, 'requests' | 'signal'>) {
  return { priority: 'create' as const, requestCounter: requests, signal };
}
