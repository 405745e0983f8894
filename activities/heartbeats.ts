// Signs of life while an activity works: a dead worker is noticed soon, and a cancel arrives.
import { Context } from '@temporalio/activity';

const everyMs = 4_000;
/** A transfer tells of each piece, and each sign takes a way through the SDK. */
const atMostEachMs = 1_000;

/**
 * Heartbeats until the work has ended. Work that hangs is ended by its own time limits.
 * @param details how far it is, for people who look at it in the Temporal UI
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

/** A heartbeat for who has one at every turn; what comes soon after another is left out. */
export function sparingBeat(activity: Context): () => void {
  let beatenAtMs = Number.NEGATIVE_INFINITY;
  return () => {
    const nowMs = performance.now();
    if (nowMs - beatenAtMs < atMostEachMs) return;
    beatenAtMs = nowMs;
    activity.heartbeat();
  };
}
