// Temporal's time within an attempt of an activity. The server says when it scheduled the attempt; the rest is a duration.
import { Context } from '@temporalio/activity';
import type { Deps } from './deps.ts';

const begunAtMs = new WeakMap<Context, number>();

/**
 * Epoch ms by the server's clock, and never ahead of it, however wrong the clock of this machine is: late by the time that the
 * attempt has waited for a worker. The first call in an attempt begins the count.
 */
export function runClock({ elapsed }: Pick<Deps, 'elapsed'>): () => number {
  const activity = Context.current();
  const beganMs = begunAtMs.get(activity) ?? elapsed();
  begunAtMs.set(activity, beganMs);
  const { currentAttemptScheduledTimestampMs: scheduledMs } = activity.info;
  return () => scheduledMs + (elapsed() - beganMs);
}
