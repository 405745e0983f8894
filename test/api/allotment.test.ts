// A budget with only a part of the allowance of its key: how fast it sends, and what it reports.
import { describe, expect, it } from 'vitest';
import { RateBudget, type Release } from '../../src/api/rate-limit/budget.ts';
import type { Priority } from '../../src/api/rate-limit/request-queue.ts';
import { flushPromises, ManualClock } from './_clock.ts';

const forEver = Number.MAX_SAFE_INTEGER;

function setUp(permits: number | undefined, more: { limit?: number; heldByOthers?: number } = {}) {
  const clock = new ManualClock(0);
  const budget = new RateBudget({ clock, random: () => 0 });
  const allot = (now: number | undefined) =>
    budget.allot({ permits: now, limit: now, heldByOthers: 0, ...more });
  allot(permits);
  const sentMs: Record<Priority, number[]> = { interactive: [], create: [], status: [] };
  /** A request whose response takes a while. */
  const send = async (priority: Priority, answeredAfterMs = 100) => {
    const release: Release = await budget.acquire({ priority, maxWaitMs: forEver });
    sentMs[priority].push(clock.nowMs);
    clock.after(answeredAfterMs, () => release());
  };
  /** Keeps the given number of requests running. When one ends, another starts. */
  const work = (priority: Priority, atOnce: number) => {
    const line = async (): Promise<void> => {
      for (;;) await send(priority);
    };
    for (let index = 0; index < atOnce; index += 1) void line();
  };
  const countBetween = (fromMs: number, untilMs: number) =>
    Object.values(sentMs)
      .flat()
      .filter((ms) => ms >= fromMs && ms < untilMs).length;
  return { clock, budget, allot, send, work, sentMs, countBetween };
}

describe('an allotment under endless work', () => {
  it.each([5, 20, 60, 200, 600])(
    'at least 95 percent of %i permits are used in each window',
    async (permits) => {
      const { clock, work, countBetween } = setUp(permits);
      work('create', 30);
      await clock.advance(300_000);
      for (let window = 0; window < 5; window += 1) {
        const count = countBetween(window * 60_000, (window + 1) * 60_000);
        expect(count).toBeGreaterThanOrEqual(Math.floor(0.95 * permits));
        expect(count).toBeLessThanOrEqual(permits);
      }
    },
  );

  it.each([20, 60, 200, 600])(
    'an interactive request soon gets one of %i permits if other interactive requests came before it',
    async (permits) => {
      const { clock, work, send, sentMs } = setUp(permits);
      for (let index = 0; index < 2; index += 1) void send('interactive');
      work('create', 30);
      const waits: number[] = [];
      for (let index = 2; index < 80; index += 1) {
        await clock.advance(3_000 + index);
        const askedMs = clock.nowMs;
        void send('interactive');
        await clock.advance((3 * 60_000) / permits);
        waits.push((sentMs.interactive[index] ?? Number.POSITIVE_INFINITY) - askedMs);
      }
      expect(Math.max(...waits)).toBeLessThanOrEqual((2 * 60_000) / permits);
    },
  );

  it('an allotment is spent at once except for a reserve, whatever other workers hold', async () => {
    const { clock, work, countBetween } = setUp(100, { limit: 200, heldByOthers: 100 });
    work('create', 30);
    await clock.advance(1_000);
    expect(countBetween(0, 1_000)).toBeGreaterThanOrEqual(93);
    expect(countBetween(0, 1_000)).toBeLessThanOrEqual(94);
  });

  it('the first interactive requests get the reserve', async () => {
    const { clock, work, send, sentMs } = setUp(200);
    work('create', 30);
    await clock.advance(10_000);
    for (let index = 0; index < 10; index += 1) void send('interactive');
    await clock.advance(200);
    expect(sentMs.interactive).toHaveLength(10);
  });

  it('only half of an allotment is spent at once if there were interactive requests', async () => {
    const { clock, work, send, countBetween } = setUp(100);
    for (let index = 0; index < 2; index += 1) void send('interactive');
    work('create', 30);
    await clock.advance(1_000);
    expect(countBetween(0, 1_000)).toBeLessThanOrEqual(53);
  });
});

describe('an allotment', () => {
  it('an allotment without permits blocks requests until it gets one', async () => {
    const { clock, allot, send, sentMs } = setUp(0);
    void send('interactive');
    await clock.advance(10_000);
    expect(sentMs.interactive).toEqual([]);
    allot(1);
    await flushPromises();
    expect(sentMs.interactive).toEqual([10_000]);
  });

  it('an allotment that shrinks blocks requests until enough permits are free again', async () => {
    const { clock, allot, send, sentMs } = setUp(10);
    for (let index = 0; index < 5; index += 1) void send('interactive', 0);
    await clock.advance(30_000);
    allot(2);
    void send('interactive', 0);
    await clock.advance(29_999);
    expect(sentMs.interactive).toHaveLength(5);
    await clock.advance(1);
    expect(sentMs.interactive).toHaveLength(6);
  });

  it('an allotment blocks all requests while the platform accepts none', async () => {
    const { clock, budget, send, sentMs } = setUp(10);
    budget.allot({ permits: 10, limit: 10, heldByOthers: 0, blockedForMs: 5_000 });
    void send('interactive');
    await clock.advance(4_999);
    expect(sentMs.interactive).toEqual([]);
    expect(budget.pressure()).toBe(1);
    await clock.advance(1);
    expect(sentMs.interactive).toEqual([5_000]);
  });

  it('an unknown allotment sets no rate', async () => {
    const { clock, send, countBetween, budget } = setUp(undefined);
    for (let index = 0; index < 100; index += 1) void send('create', 10);
    await clock.advance(1_000);
    expect(countBetween(0, 1_000)).toBe(100);
    expect(budget.pressure()).toBe(0);
  });

  it('a returned allotment no longer limits requests', async () => {
    const { clock, budget, send, countBetween } = setUp(0);
    budget.allot(undefined);
    void send('create');
    await clock.advance(1);
    expect(countBetween(0, 1)).toBe(1);
  });
});

describe('a budget with an allotment', () => {
  it('a budget with an allotment reports the pressure of all workers', async () => {
    const { budget, send, clock } = setUp(50, { limit: 200, heldByOthers: 90 });
    for (let index = 0; index < 10; index += 1) void send('create', 0);
    await clock.advance(1);
    expect(budget.pressure()).toBe(0.5);
    expect(budget.limit).toBe(200);
  });

  it('a budget with an allotment reports the permits held, the requests waiting, and when the last requests started', async () => {
    const { budget, send, clock } = setUp(3, { limit: 100 });
    void send('create', 0);
    await clock.advance(25_000);
    for (let index = 0; index < 4; index += 1) void send('create', 0);
    await clock.advance(5_000);
    expect(budget.demand(6)).toEqual({ permitsHeld: 3, waiting: 2, sent: [2, 0, 0, 1, 0, 0] });
  });

  it('a budget with an allotment reports the first refusal since the last call', async () => {
    const { budget, clock } = setUp(10);
    expect(budget.takeRefusal()).toBeUndefined();
    budget.onRateLimited({ limit: 10, resetInMs: 30_000 });
    budget.onRateLimited({ limit: 10, resetInMs: 29_000 });
    await clock.advance(500);
    expect(budget.takeRefusal()).toEqual({ agoMs: 500, rate: { limit: 10, resetInMs: 30_000 } });
    expect(budget.wasRefused).toBe(false);
  });
});
