// Retries single reads of a long list after rate limits and short outages, so that the list need not start over.
import { backoffMs, classify } from '../../api/retry.ts';
import { type Pause, pauseFor } from '../pause-for.ts';

const triesAtMost = 5;
/** Up to a minute each; after longer outages the activity itself is retried. */
const pausesAtMost = 20;

export async function readPatiently<T>(
  read: () => Promise<T>,
  signal: AbortSignal | undefined,
  pause: Pause = pauseFor,
): Promise<T> {
  for (let tries = 1, pauses = 1; ; pauses += 1) {
    try {
      return await read();
    } catch (error) {
      const answer = classify(error);
      const isRate = answer.kind === 'rate' || answer.kind === 'again-soon';
      if (!isRate && (answer.kind !== 'backoff' || tries >= triesAtMost)) throw error;
      if (pauses >= pausesAtMost) throw error;
      await pause(isRate ? answer.delayMs : backoffMs(tries), signal);
      if (!isRate) tries += 1;
    }
  }
}
