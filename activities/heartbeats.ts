// Sends heartbeats while an activity works, so that a dead worker is noticed soon and cancellations arrive.
import { Context } from '@temporalio/activity';
import type { Client } from '../src/api/client.ts';
import type { ActivityWait } from '../src/plan/contract/activity-wait.ts';

const heartbeatIntervalMs = 4_000;
/** Minimum time between throttled heartbeats. A transfer reports every piece, and each heartbeat calls the SDK. */
const minHeartbeatGapMs = 1_000;

/**
 * Sends heartbeats until the work ends. They continue if the work hangs, so the work needs its own timeouts.
 * @param details progress that the Temporal UI shows
 */
export async function withHeartbeats<T>(
  task: () => Promise<T>,
  details?: () => unknown,
  intervalMs = heartbeatIntervalMs,
): Promise<T> {
  const activity = Context.current();
  const timer = setInterval(() => activity.heartbeat(details?.()), intervalMs);
  try {
    return await task();
  } finally {
    clearInterval(timer);
  }
}

/** Returns heartbeat details while requests of this worker wait for the rate limit. Otherwise undefined. */
export function findRateLimitWait({ budget }: Pick<Client, 'budget'>): ActivityWait | undefined {
  if (!budget.isHeldByPlatform) return undefined;
  return { wait: 'requests wait, because the platform refuses them for now (rate limit)' };
}

/** Creates a heartbeat for callers that report very often. Calls that come too soon are dropped. */
export function createHeartbeat(activity: Context): () => void {
  let lastHeartbeatAtMs = Number.NEGATIVE_INFINITY;
  return () => {
    const nowMs = performance.now();
    if (nowMs - lastHeartbeatAtMs < minHeartbeatGapMs) return;
    lastHeartbeatAtMs = nowMs;
    activity.heartbeat();
  };
}
