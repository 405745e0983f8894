import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RateBudget } from '../../src/api/rate-limit/budget.ts';
import { priorities } from '../../src/api/rate-limit/request-queue.ts';
import { ManualClock } from './_clock.ts';

interface Arrival {
  afterMs: number;
  answeredAfterMs: number;
  arrivesAfter: number;
  priority: (typeof priorities)[number];
}

const arrival = fc.record({
  afterMs: fc.nat(20_000),
  answeredAfterMs: fc.nat(5000),
  arrivesAfter: fc.double({ min: 0, max: 1, noNaN: true }),
  priority: fc.constantFrom(...priorities),
});

/** When the platform counted each request: at some time between the request and its response. */
async function play(limit: number, arrivals: Arrival[], stopsAfter: number | undefined) {
  const clock = new ManualClock(0);
  const budget = new RateBudget({ limit, clock, random: () => 0 });
  const seenMs: number[] = [];
  let answered = 0;
  for (const { afterMs, answeredAfterMs, arrivesAfter, priority } of arrivals) {
    await clock.advance(afterMs);
    const acquired = budget.acquire({ priority, maxWaitMs: Number.MAX_SAFE_INTEGER });
    void acquired.then((release) => {
      seenMs.push(clock.nowMs + answeredAfterMs * arrivesAfter);
      clock.after(answeredAfterMs, () => {
        answered += 1;
        if (answered === stopsAfter) budget.onRateLimited({ retryAfterMs: 7000 });
        release();
      });
    });
  }
  await clock.advance(60_000 * (2 + Math.ceil(arrivals.length / Math.max(1, limit * 0.1))));
  return { seenMs: seenMs.sort((a, b) => a - b), snapshot: budget.snapshot() };
}

describe('a budget with any pattern of arrivals, response times and priorities', () => {
  it('the platform never sees more than the allowance in any sliding 60 s', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 12 }),
        fc.array(arrival, { maxLength: 60 }),
        fc.option(fc.integer({ min: 1, max: 20 }), { nil: undefined }),
        async (limit, arrivals, stopsAfter) => {
          const { seenMs } = await play(limit, arrivals, stopsAfter);
          for (const [index, atMs] of seenMs.entries()) {
            const later = seenMs[index + limit];
            if (later !== undefined) expect(later - atMs).toBeGreaterThanOrEqual(60_000);
          }
        },
      ),
      { numRuns: 150 },
    );
  });

  it('every request is sent, and in the end nothing is waiting or in flight', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 12 }),
        fc.array(arrival, { maxLength: 40 }),
        async (limit, arrivals) => {
          const { seenMs, snapshot } = await play(limit, arrivals, undefined);
          expect(seenMs).toHaveLength(arrivals.length);
          expect(snapshot.inFlight).toBe(0);
          expect(snapshot.waiting).toEqual({ interactive: 0, create: 0, status: 0 });
        },
      ),
      { numRuns: 100 },
    );
  });

  it('the allowance is used up while there is work, so that all windows after the first are full', async () => {
    const arrivals = Array.from({ length: 200 }, () => ({
      afterMs: 0,
      answeredAfterMs: 0,
      arrivesAfter: 0,
      priority: 'create' as const,
    }));
    const { seenMs } = await play(20, arrivals, undefined);
    const perWindow = Array.from(
      { length: 10 },
      (_, window) => seenMs.filter((atMs) => Math.floor(atMs / 60_000) === window).length,
    );
    expect(perWindow).toEqual(Array.from({ length: 10 }, () => 20));
  });
});
