import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Client } from '../../src/api/client.ts';
import { RateLimitedError } from '../../src/api/errors/errors.ts';
import { classify } from '../../src/api/errors/retry.ts';
import { RateBudget } from '../../src/api/rate-limit/budget.ts';
import { flushPromises, ManualClock } from './_clock.ts';
import { clientOf, errorOf, json, me, refuse, startServer, type TestServer } from './_server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());
beforeEach(() => {
  server.received.length = 0;
});

const nowMs = Date.UTC(2026, 10, 21, 6, 0, 0);
const limited = {
  date: new Date(nowMs).toUTCString(),
  'x-ratelimit-limit': '600',
  'x-ratelimit-remaining': '0',
  'x-ratelimit-reset': String(nowMs / 1000 + 30),
  'retry-after': '12',
};

describe('a 429 with the headers of platform.md, section 8', () => {
  it('a 429 returns the delay before the next attempt, whatever the clock of this machine shows', async () => {
    server.respondWith((_, response) => refuse(response, 429, 'RATE_LIMITED', limited));
    const error = await errorOf(clientOf(server, { now: () => nowMs - 600_000 }).getMe());
    expect(error).toBeInstanceOf(RateLimitedError);
    expect(error).toMatchObject({ retryAfterMs: 30_000 });
    expect(classify(error, () => 0)).toEqual({ kind: 'rate', delayMs: 30_000 });
  });

  it('a 429 delays every later call of the key until the reset', async () => {
    const clock = new ManualClock();
    const budget = new RateBudget({ clock, random: () => 0 });
    const client = clientOf(server, { budget, now: () => nowMs });
    server.respondWith((_, response) => refuse(response, 429, 'RATE_LIMITED', limited));
    await errorOf(client.getMe());
    server.respondWith((_, response) => json(response, 200, me));
    expect(budget.expectedWaitMs()).toBe(30_000);
    const later = client.getMe();
    await flushPromises();
    expect(server.received).toHaveLength(1);
    expect(budget.snapshot()).toMatchObject({ limit: 600, waiting: { status: 1 } });
    await clock.advance(30_000);
    expect(await later).toEqual(me);
  });

  it('a 429 does not delay the API description, which needs no key', async () => {
    const budget = new RateBudget({ clock: new ManualClock() });
    const client = clientOf(server, { budget });
    budget.onRateLimited({ retryAfterMs: 30_000 });
    server.respondWith((_, response) => json(response, 200, { openapi: '3.1.0' }));
    expect(await client.getOpenapi()).toEqual({ openapi: '3.1.0' });
  });
});

describe('the priority of a call', () => {
  it.each([
    [
      'a status check is "status"',
      (client: Client) => client.checkModelStatus({ body: { modelIds: ['m'] } }),
      'status',
    ],
    ['a list is "status"', (client: Client) => client.listRenders(), 'status'],
    [
      'a creation is "create"',
      (client: Client) => client.createRenders({ body: { projectIds: ['p'] } }),
      'create',
    ],
    [
      'a call for a person is "interactive"',
      (client: Client) => client.getMe({}, { priority: 'interactive' }),
      'interactive',
    ],
  ])('the priority of %s', async (_, call, priority) => {
    const clock = new ManualClock();
    const budget = new RateBudget({ clock, random: () => 0 });
    budget.onRateLimited({ retryAfterMs: 1000 });
    server.respondWith((_request, response) => json(response, 400, {}));
    const called = errorOf(call(clientOf(server, { budget })));
    await flushPromises();
    expect(budget.snapshot().waiting).toMatchObject({ [priority]: 1 });
    await clock.advance(1000);
    await called;
  });
});

/**
 * A platform with a fixed window, as platform.md, section 8 describes it.
 * @param lasts true if the first window lasts until a request is refused, however slow the machine is
 */
function fixedWindow(limit: number, windowMs: number, lasts = false) {
  const counts = new Map<number, number>();
  let startMs = lasts ? Number.POSITIVE_INFINITY : Date.now();
  let refused = 0;
  server.respondWith((_, response) => {
    const window = Math.max(0, Math.floor((Date.now() - startMs) / windowMs));
    const count = counts.get(window) ?? 0;
    if (count < limit) {
      counts.set(window, count + 1);
      return json(response, 200, me);
    }
    refused += 1;
    startMs = Math.min(startMs, Date.now());
    const resetMs = startMs + (window + 1) * windowMs - Date.now();
    const headers = {
      'x-ratelimit-limit': String(limit),
      'x-ratelimit-reset': String(resetMs / 1000),
    };
    return refuse(response, 429, 'RATE_LIMITED', headers);
  });
  return { refused: () => refused, served: () => [...counts.values()] };
}

async function untilServed(client: Client): Promise<void> {
  for (;;) {
    const error = await client.getMe().then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (error === undefined) return;
    // The budget waits. Any error other than 429 fails the test.
    expect(classify(error).kind).toBe('rate');
  }
}

describe('a budget against a platform with a real window', () => {
  const limit = 20;
  const windowMs = 400;

  it('a known allowance causes no 429', async () => {
    const platform = fixedWindow(limit, windowMs);
    const client = clientOf(server, { budget: new RateBudget({ limit, windowMs }) });
    await Promise.all(Array.from({ length: 70 }, () => untilServed(client)));
    expect(platform.refused()).toBe(0);
    expect(Math.max(...platform.served())).toBeLessThanOrEqual(limit);
  });

  it('an unknown allowance is learned from the first 429, and only requests already in flight get another one', async () => {
    const platform = fixedWindow(limit, windowMs, true);
    const budget = new RateBudget({ windowMs });
    const client = clientOf(server, { budget });
    await Promise.all(Array.from({ length: 70 }, () => untilServed(client)));
    expect(budget.limit).toBe(limit);
    expect(platform.refused()).toBeLessThanOrEqual(8);
    expect(client.counter.rateLimited).toBe(platform.refused());
  });
});
