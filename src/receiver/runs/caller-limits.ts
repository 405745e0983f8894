// Limits how often, and how much at once, a caller may request. Only callers with a valid credential are counted, so
// that nobody else can use up their limits.
import { retryLaterError } from './run-request-error.ts';

/** Maximum number of requests of a caller that are answered at the same time. */
export const maxConcurrentRequests = 20;

interface Caller {
  tokens: number;
  atMs: number;
  underWay: number;
}

/**
 * Answers a request within the limits of its caller.
 * @param perMinute requests that the caller may send per minute. After a quiet minute, it may send all of them at once
 * @throws RunRequestError 429
 */
export type Admit = <T>(name: string, perMinute: number, task: () => Promise<T>) => Promise<T>;

/** @param now monotonic milliseconds */
export function createCallerLimits(now: () => number): Admit {
  const callers = new Map<string, Caller>();
  return async (name, perMinute, task) => {
    const nowMs = now();
    const caller = callers.get(name) ?? { tokens: perMinute, atMs: nowMs, underWay: 0 };
    callers.set(name, caller);
    const newTokens = ((nowMs - caller.atMs) * perMinute) / 60_000;
    caller.tokens = Math.min(perMinute, caller.tokens + newTokens);
    caller.atMs = nowMs;
    if (caller.underWay >= maxConcurrentRequests) {
      throw limitedError(`At most ${maxConcurrentRequests} concurrent requests are allowed.`, 1);
    }
    if (caller.tokens < 1) {
      const seconds = Math.ceil(Math.round((1 - caller.tokens) * 60_000) / perMinute / 1_000);
      throw limitedError(`At most ${perMinute} requests per minute are allowed.`, seconds);
    }
    caller.tokens -= 1;
    caller.underWay += 1;
    try {
      return await task();
    } finally {
      caller.underWay -= 1;
    }
  };
}

const limitedError = (detail: string, seconds: number) =>
  retryLaterError(429, 'TOO_MANY_REQUESTS', `${detail} Retry after ${seconds} s.`, seconds);
