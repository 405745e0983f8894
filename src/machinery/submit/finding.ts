// What the platform's reads tell of a call whose answer did not come.

import { contentOrMissing, refusalOf } from '../../api/refusal.ts';
import type { Refs } from '../../plan/refs.ts';
import type { Intent } from '../../store/calls/intents.ts';
import type { NodeContext } from '../node-context.ts';

/** Refs by asset key; assets that are missing were not created. */
export type Answers = Record<string, Refs>;

/**
 * - `done`: it has worked; `made` is what it has made as far as it shows.
 * - `undone`: it has not.
 * - `unknown`: they do not tell.
 */
export type Finding = { is: 'done'; made: Answers } | { is: 'undone' | 'unknown' };

/** What a look shows, if anything. */
export function found(made: Answers): Finding {
  return Object.keys(made).length > 0 ? { is: 'done', made } : { is: 'undone' };
}

/** A gateway gives up sooner than the platform, which may still be at it. */
const underWayMs = 60_000;

export function mayBeUnderWay(
  { createdAt, doubtSince = createdAt }: Intent,
  context: NodeContext,
): boolean {
  return context.now() - Date.parse(doubtSince) < underWayMs;
}

/** A read that the platform refuses shows nothing; it is no refusal of the call that it is about. */
export async function orElse<T>(nothing: T, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (refusalOf(error, contentOrMissing)) return nothing;
    throw error;
  }
}

/** Options of the reads of a look. */
export function lookOptions({ requests, signal }: NodeContext) {
  return { priority: 'create' as const, scope: requests, signal };
}
