// Outcomes of calls whose response was lost, as found by reading the platform.

import { findRefusal, itemReasons } from '../../api/errors/refusal.ts';
import type { PlatformIds } from '../../plan/platform-ids.ts';
import type { Intent } from '../../store/calls/intents.ts';
import type { NodeContext } from '../node-context.ts';

/** Platform ids by asset key. Assets for which nothing was created are missing. */
export type IdsByAsset = Record<string, PlatformIds>;

/** Copies ids by asset key. The copy has no prototype, because an asset may be named `constructor` or `__proto__`. */
export function toIdsByAsset(idsByAsset: IdsByAsset = {}): IdsByAsset {
  return Object.assign(Object.create(null), idsByAsset);
}

/**
 * - `done`: the call succeeded, and `created` is what the platform shows of its work.
 * - `not-done`: the call had no effect.
 * - `unknown`: the reads do not show whether it succeeded.
 */
export type CallOutcome =
  | { state: 'done'; created: IdsByAsset }
  | { state: 'not-done' | 'unknown' };

/** Returns `done` if a read found created resources, and otherwise `not-done`. */
export function toCallOutcome(idsByAsset: IdsByAsset): CallOutcome {
  return Object.keys(idsByAsset).length > 0
    ? { state: 'done', created: idsByAsset }
    : { state: 'not-done' };
}

/** How long the platform may keep working on a call after a gateway has timed out. */
const maxUnderWayMs = 60_000;

export function canBeUnderWay(
  { createdAt, ambiguousSince = createdAt }: Intent,
  context: NodeContext,
): boolean {
  return context.now() - Date.parse(ambiguousSince) < maxUnderWayMs;
}

/**
 * Returns the result of a read, or `nothing` if the platform refuses it, which must not be mistaken for a refused call.
 */
export async function readOrElse<T>(nothing: T, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (findRefusal(error, itemReasons)) return nothing;
    throw error;
  }
}

/** How long a request waits for the rate budget. If it gave up, the attempt of its step would start again. */
const maxWaitMs = 3_600_000;

/** Returns the options for requests about a creating call. */
export function callOptions({ requests, signal }: Pick<NodeContext, 'requests' | 'signal'>) {
  return { priority: 'create' as const, requestCounter: requests, signal, maxWaitMs };
}

/** Returns the options for a request that writes. Another attempt may take over while it waits for the rate budget. */
export function writeOptions(context: Pick<NodeContext, 'requests' | 'signal' | 'assertLease'>) {
  return { ...callOptions(context), beforeSend: () => context.assertLease() };
}
