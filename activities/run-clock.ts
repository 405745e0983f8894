// Temporal's time within an attempt: the time at which the server scheduled the attempt, plus a local duration.
import { Context } from '@temporalio/activity';
import type { Deps } from './deps.ts';

const begunAtMs = new WeakMap<Context, number>();

/**
 * Returns epoch ms by the server's clock, however wrong this machine's clock is. The result is never ahead of the
 * server. It lags by the time that the attempt waited for a worker. The first call in an attempt starts the count.
 */
export function runClock({ monotonicNow }: Pick<Deps, 'monotonicNow'>): () => number {
  const activity = Context.current();
  const beganAtMs = begunAtMs.get(activity) ?? monotonicNow();
  begunAtMs.set(activity, beganAtMs);
  const { currentAttemptScheduledTimestampMs: scheduledAtMs } = activity.info;
  return () => scheduledAtMs + (monotonicNow() - beganAtMs);
}
