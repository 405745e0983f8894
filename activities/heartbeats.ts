// Heartbeats while an activity works, so that a dead worker is noticed soon and a cancellation arrives.
import { Context } from '@temporalio/activity';

const everyMs = 4_000;
/** A transfer reports every piece, and each heartbeat costs a call into the SDK. */
const atMostEachMs = 1_000;

/**
 * Sends heartbeats until the work ends. Work that hangs is ended by its own timeouts.
 * @param details progress that the Temporal UI shows
 */
export async function whileBeating<T>(work: () => Promise<T>, details?: () => unknown): Promise<T> {
  const activity = Context.current();
  const beat = setInterval(() => activity.heartbeat(details?.()), everyMs);
  try {
    return await work();
  } finally {
    clearInterval(beat);
  }
}

/** A heartbeat for callers that report very often; calls that come too soon are dropped. */
export function sparingBeat(activity: Context): () => void {
  let beatenAtMs = Number.NEGATIVE_INFINITY;
  return () => {
    const nowMs = performance.now();
    if (nowMs - beatenAtMs < atMostEachMs) return;
    beatenAtMs = nowMs;
    activity.heartbeat();
  };
}
