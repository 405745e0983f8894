// How often heartbeats are sent, and what they say about the rate limit.
import { Context } from '@temporalio/activity';
import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, it, vi } from 'vitest';
import { createHeartbeat, findRateLimitWait } from '../../activities/heartbeats.ts';
import { RateBudget } from '../../src/api/rate-limit/budget.ts';

it('heartbeats say that requests wait, as long as the platform refuses requests and some wait', async () => {
  let nowMs = 0;
  const budget = new RateBudget({
    clock: { now: () => nowMs, after: () => () => {} },
    random: () => 0,
  });
  const wait = () => findRateLimitWait({ budget });
  expect(wait()).toBeUndefined();
  budget.onRateLimited({ retryAfterMs: 30_000 });
  expect(wait()).toBeUndefined();
  const waiting = new AbortController();
  const request = budget.acquire({ signal: waiting.signal });
  expect(wait()).toEqual({
    wait: 'requests wait, because the platform refuses them for now (rate limit)',
  });
  nowMs = 30_000;
  expect(wait()).toBeUndefined();
  waiting.abort();
  await expect(request).rejects.toThrow();
});

it('the first heartbeat is sent immediately, and then at most one per second', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const environment = new MockActivityEnvironment();
  let heard = 0;
  environment.on('heartbeat', () => (heard += 1));
  await environment.run(async () => {
    const beat = createHeartbeat(Context.current());
    for (const [afterMs, expected] of [
      [0, 1],
      [999, 1],
      [1, 2],
      [500, 2],
      [60_000, 3],
    ] as const) {
      vi.advanceTimersByTime(afterMs);
      beat();
      expect(heard).toBe(expected);
    }
  });
  vi.useRealTimers();
});
