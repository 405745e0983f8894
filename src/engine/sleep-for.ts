// A pause inside an activity attempt. Cancelling the activity ends the pause at once.
import { setTimeout as delay } from 'node:timers/promises';

export type Sleep = (delayMs: number, signal: AbortSignal | undefined) => Promise<void>;

/** Waits. Rejects with the reason of `signal` if it aborts. */
export const sleepFor: Sleep = async (delayMs, signal) => {
  try {
    await delay(delayMs, undefined, signal ? { signal } : {});
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
};
