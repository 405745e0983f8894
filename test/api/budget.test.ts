import { describe, expect, it } from 'vitest';
import {
  type AcquireOptions,
  getSharedBudget,
  RateBudget,
  type Release,
} from '../../src/api/rate-limit/budget.ts';
import type { Priority } from '../../src/api/rate-limit/request-queue.ts';
import { flushPromises, ManualClock } from './_clock.ts';
import { errorOf } from './_server.ts';

function setUp(options: { limit?: number; windowMs?: number; random?: () => number } = {}) {
  const clock = new ManualClock();
  const budget = new RateBudget({
    random: () => 0,
    ...options,
    clock,
  });
  const granted: string[] = [];
  const open: Release[] = [];
  /** Acquires a permit. The request ends only when its function in `open` is called. */
  const ask = (name: string, acquire: AcquireOptions = {}) =>
    budget.acquire(acquire).then((release) => {
      granted.push(name);
      open.push(release);
      return release;
    });
  /** A request with an immediate response. */
  const spend = async (times: number) => {
    for (let index = 0; index < times; index += 1) (await budget.acquire())();
  };
  return { clock, budget, granted, open, ask, spend };
}

describe('a budget whose allowance is unknown', () => {
  it('an unknown allowance permits eight requests in flight, and one more whenever one ends', async () => {
    const { ask, granted, open } = setUp();
    for (let index = 1; index <= 10; index += 1) void ask(`r${index}`);
    await flushPromises();
    expect(granted).toHaveLength(8);
    open[0]?.();
    await flushPromises();
    expect(granted).toEqual(['r1', 'r2', 'r3', 'r4', 'r5', 'r6', 'r7', 'r8', 'r9']);
  });

  it('an unknown allowance reports neither pressure nor an expected wait', async () => {
    const { spend, budget } = setUp();
    await spend(1000);
    expect(budget.pressure()).toBe(0);
    expect(budget.expectedWaitMs()).toBe(0);
  });

  it('a release counts once, however often it is called', async () => {
    const { ask, budget, open } = setUp();
    await ask('r1');
    open[0]?.();
    open[0]?.();
    expect(budget.snapshot()).toMatchObject({ inFlight: 0, spent: 1 });
  });
});

describe('a known allowance', () => {
  it('a known allowance can be spent at once, and each permit is free again one window after its request has ended', async () => {
    const { ask, granted, spend, clock } = setUp({ limit: 3 });
    await spend(1);
    await clock.advance(20_000);
    await spend(2);
    void ask('r4');
    void ask('r5');
    await clock.advance(39_999);
    expect(granted).toEqual([]);
    await clock.advance(1);
    expect(granted).toEqual(['r4']);
    await clock.advance(20_000);
    expect(granted).toEqual(['r4', 'r5']);
  });

  it('a request counts until one window after its response, since the platform may count it late', async () => {
    const { ask, granted, open, clock } = setUp({ limit: 1 });
    void ask('slow');
    await clock.advance(30_000);
    open[0]?.();
    void ask('next');
    await clock.advance(59_999);
    expect(granted).toEqual(['slow']);
    await clock.advance(1);
    expect(granted).toEqual(['slow', 'next']);
  });

  it('the permit of a request that was not sent becomes free again', async () => {
    const { ask, granted, open } = setUp({ limit: 1 });
    await ask('refused');
    open[0]?.(false);
    await ask('next');
    expect(granted).toEqual(['refused', 'next']);
  });

  it('the allowance is renewed after the window that is set', async () => {
    const { spend, ask, granted, clock } = setUp({ limit: 1, windowMs: 2000 });
    await spend(1);
    void ask('next');
    await clock.advance(2000);
    expect(granted).toEqual(['next']);
  });
});

describe('a 429', () => {
  it('a 429 sets the limit', async () => {
    const { budget, spend } = setUp();
    await spend(3);
    budget.onRateLimited({ limit: 600, retryAfterMs: 1000 });
    budget.onRateLimited({ limit: 600, retryAfterMs: 1000 });
    expect(budget.limit).toBe(600);
  });

  it('a 429 makes every caller of the key wait until the reset', async () => {
    const { budget, ask, granted, clock } = setUp({ limit: 100 });
    budget.onRateLimited({ retryAfterMs: 5000, resetInMs: 20_000 });
    void ask('bulk');
    void ask('person', { priority: 'interactive' });
    await clock.advance(19_999);
    expect(granted).toEqual([]);
    expect(budget.pressure()).toBe(1);
    await clock.advance(1);
    expect(granted).toEqual(['person', 'bulk']);
  });

  it('a 429 adds a little jitter, so that several processes do not wake up at the same time', async () => {
    const { budget, ask, granted, clock } = setUp({ limit: 100, random: () => 0.5 });
    budget.onRateLimited({ retryAfterMs: 10_000 });
    void ask('r1');
    await clock.advance(11_499);
    expect(granted).toEqual([]);
    await clock.advance(1);
    expect(granted).toEqual(['r1']);
  });

  it.each([
    ['without headers delays requests by a sixth of a window', {}, 10_000],
    ['with Retry-After 0 delays requests by a sixth of a window', { retryAfterMs: 0 }, 10_000],
    ['with a delay of a day delays requests by two minutes', { retryAfterMs: 86_400_000 }, 120_000],
  ])('a 429 %s', async (_, rate, delayMs) => {
    const { budget } = setUp({ limit: 100 });
    budget.onRateLimited(rate);
    expect(budget.expectedWaitMs()).toBe(delayMs);
  });

  it('a 429 before the allowance is spent only delays requests, and does not change the allowance', async () => {
    const { budget, spend, ask, granted, clock } = setUp({ limit: 10, windowMs: 1000 });
    await spend(2);
    budget.onRateLimited({ retryAfterMs: 1000 });
    await clock.advance(1000);
    for (let index = 0; index < 10; index += 1) void ask(`r${index}`);
    await flushPromises();
    expect(granted).toHaveLength(10);
  });
});

describe('rate headers of other responses', () => {
  it('rate headers set the limit and the delay', async () => {
    const { budget } = setUp();
    budget.onRateHeaders({ limit: 50, remaining: 0, resetInMs: 9000 });
    expect(budget.limit).toBe(50);
    expect(budget.expectedWaitMs()).toBe(9000);
  });

  it('rate headers do not delay requests while part of the allowance remains', () => {
    const { budget } = setUp();
    budget.onRateHeaders({ limit: 50, remaining: 1, resetInMs: 9000 });
    expect(budget.expectedWaitMs()).toBe(0);
  });
});

describe('the order of requests', () => {
  const order = async (asked: [Priority, number][], places: number) => {
    const { ask, granted, spend, clock } = setUp({ limit: places, windowMs: 1000 });
    await spend(places);
    for (const [priority, times] of asked) {
      for (let index = 0; index < times; index += 1) void ask(priority, { priority });
    }
    await clock.advance(1000);
    return granted;
  };

  it('interactive requests come first, then creating ones, then status requests', async () => {
    expect(
      await order(
        [
          ['status', 1],
          ['create', 1],
          ['interactive', 1],
        ],
        3,
      ),
    ).toEqual(['interactive', 'create', 'status']);
  });

  it('requests of the same class are sent in the order in which they arrived', async () => {
    const { ask, granted, spend, clock } = setUp({ limit: 2 });
    await spend(2);
    void ask('first');
    void ask('second');
    await clock.advance(60_000);
    expect(granted).toEqual(['first', 'second']);
  });

  it('polls get one permit in three, however many creating calls wait', async () => {
    const granted = await order(
      [
        ['create', 100],
        ['status', 100],
      ],
      40,
    );
    expect(granted.filter((priority) => priority === 'status')).toHaveLength(13);
  });

  it('polls get one permit in ten while interactive requests wait', async () => {
    const granted = await order(
      [
        ['interactive', 100],
        ['status', 100],
      ],
      40,
    );
    expect(granted.filter((priority) => priority === 'status')).toHaveLength(4);
  });

  it('no class is starved by the two above it', async () => {
    const granted = await order(
      [
        ['interactive', 100],
        ['create', 100],
        ['status', 100],
      ],
      40,
    );
    for (const priority of ['interactive', 'create', 'status']) {
      expect(granted.filter((name) => name === priority).length).toBeGreaterThanOrEqual(3);
    }
  });
});

describe('waiting requests', () => {
  it('a budget reports the number of waiting requests and the expected wait', async () => {
    const { ask, spend, budget, clock } = setUp({ limit: 2 });
    await ask('free');
    await spend(1);
    expect(budget.expectedWaitMs()).toBe(60_000);
    void ask('waits');
    await clock.advance(1000);
    expect(budget.snapshot()).toMatchObject({
      waiting: { interactive: 0, create: 1, status: 0 },
      spent: 2,
      limit: 2,
    });
    expect(budget.pressure()).toBe(1);
  });

  it('a budget reports the share of the allowance that is spent', async () => {
    const { spend, budget, clock } = setUp({ limit: 10 });
    await spend(5);
    expect(budget.pressure()).toBe(0.5);
    await clock.advance(60_000);
    expect(budget.pressure()).toBe(0);
  });

  it('a budget expects longer waits for a longer queue', async () => {
    const { ask, spend, budget } = setUp({ limit: 2 });
    await spend(2);
    const expected: number[] = [];
    for (let index = 0; index < 5; index += 1) {
      expected.push(budget.expectedWaitMs());
      void ask(`r${index}`);
    }
    expect(expected).toEqual([60_000, 60_000, 120_000, 120_000, 180_000]);
  });

  it('an aborted caller leaves the queue', async () => {
    const { ask, spend, budget, clock } = setUp({ limit: 1 });
    await spend(1);
    const caller = new AbortController();
    const asked = errorOf(ask('r1', { signal: caller.signal }));
    const reason = new Error('cancelled');
    caller.abort(reason);
    expect(await asked).toBe(reason);
    expect(budget.snapshot().waiting.create).toBe(0);
    expect(clock.pending).toBe(0);
  });

  it('a request rejects immediately if the signal has aborted', async () => {
    const reason = new Error('cancelled');
    const { ask } = setUp();
    expect(await errorOf(ask('r1', { signal: AbortSignal.abort(reason) }))).toBe(reason);
  });

  it('a request rejects after `maxWaitMs`, with the remaining wait as the retry delay', async () => {
    const { ask, spend, clock } = setUp({ limit: 1 });
    await spend(1);
    const asked = errorOf(ask('r1', { maxWaitMs: 20_000 }));
    await clock.advance(20_000);
    expect(await asked).toMatchObject({ name: 'BudgetWaitError', retryAfterMs: 40_000 });
    expect(clock.pending).toBe(0);
  });

  it('a budget does not keep a timer when no request is waiting', async () => {
    const { ask, spend, clock, open } = setUp({ limit: 1 });
    await spend(1);
    void ask('r1');
    await clock.advance(60_000);
    open[0]?.();
    expect(clock.pending).toBe(0);
  });
});

describe('one budget per key', () => {
  it('a budget is shared by all clients of a key and base URL, but not by other clients', () => {
    const first = getSharedBudget('https://a/api/v1', 'svc_a_1', { limit: 5 });
    expect(getSharedBudget('https://a/api/v1', 'svc_a_1', { limit: 9 })).toBe(first);
    expect(first.limit).toBe(5);
    expect(getSharedBudget('https://a/api/v1', 'svc_a_2')).not.toBe(first);
    expect(getSharedBudget('https://b/api/v1', 'svc_a_1')).not.toBe(first);
  });
});
