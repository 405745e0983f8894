// Signs of life while an activity works: a dead worker is noticed soon, and a cancel arrives.
import { Context } from '@temporalio/activity';

const everyMs = 4_000;

/** Heartbeats until the work has ended. Work that hangs is ended by its own time limits. */
export async function whileBeating<T>(work: () => Promise<T>): Promise<T> {
  const activity = Context.current();
  const beat = setInterval(() => activity.heartbeat(), everyMs);
  try {
    return await work();
  } finally {
    clearInterval(beat);
  }
}
