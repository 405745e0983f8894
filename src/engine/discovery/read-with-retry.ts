// Retries individual reads of a long list after rate limits and short outages, so that the list need not start over.
import { classify, computeBackoffMs } from '../../api/errors/retry.ts';
import { sleepFor } from '../sleep-for.ts';

const maxAttempts = 5;
/** Each pause lasts up to a minute. After longer outages, the activity itself is retried. */
const maxPauses = 20;

export async function readWithRetry<T>(
  read: () => Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  for (let tries = 1, pauses = 1; ; pauses += 1) {
    try {
      return await read();
    } catch (error) {
      const decision = classify(error);
      const isRateLimited = decision.kind === 'rate' || decision.kind === 'retry-soon';
      if (!isRateLimited && (decision.kind !== 'backoff' || tries >= maxAttempts)) throw error;
      if (pauses >= maxPauses) throw error;
      await sleepFor(isRateLimited ? decision.delayMs : computeBackoffMs(tries), signal);
      if (!isRateLimited) tries += 1;
    }
  }
}
