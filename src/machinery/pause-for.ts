// A wait inside an attempt, which a cancelled activity leaves at once.
import { setTimeout as delay } from 'node:timers/promises';

export type Pause = (delayMs: number, signal: AbortSignal | undefined) => Promise<void>;

/** Rejects with the reason of `signal` when that is aborted. */
export const pauseFor: Pause = async (delayMs, signal) => {
  try {
    await delay(delayMs, undefined, signal ? { signal } : {});
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
};
