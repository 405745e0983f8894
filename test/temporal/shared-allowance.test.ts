// Tests how many requests workers with a shared allowance send over minutes, with and without faults.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SharedPlatform, type WorkerUnderTest } from './_allowance-workers.ts';

const minuteMs = 60_000;
let startedMs: number;

beforeEach(() => {
  vi.useFakeTimers({
    toFake: ['Date', 'performance', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'],
    now: 1_800_000_000_000,
  });
  startedMs = Date.now();
  let drawn = 0;
  vi.spyOn(Math, 'random').mockImplementation(() => (drawn += 0.37) % 1);
});
afterEach(() => {
  vi.clearAllTimers();
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const minutes = (count: number) => vi.advanceTimersByTimeAsync(count * minuteMs);
/** Requests per minute, for a number of minutes from a given minute. */
const between = (times: readonly number[], from: number, until: number) =>
  times.filter((ms) => ms - startedMs >= from * minuteMs && ms - startedMs < until * minuteMs)
    .length;
const perMinute = (times: readonly number[], from: number, until: number) =>
  between(times, from, until) / (until - from);

async function startAll(platform: SharedPlatform, count: number, configured?: number) {
  const workers: WorkerUnderTest[] = [];
  for (let index = 0; index < count; index += 1) {
    workers.push(platform.worker(configured));
    await vi.advanceTimersByTimeAsync(50);
  }
  return workers;
}

describe('more work than the allowance permits', () => {
  it.each([
    [1, 60],
    [1, 600],
    [3, 60],
    [3, 200],
    [3, 600],
    [8, 200],
  ])(
    '%i workers use at least 95 in 100 of %i requests per minute, without a refusal',
    async (count, limit) => {
      const platform = new SharedPlatform(limit);
      for (const worker of await startAll(platform, count, limit)) worker.work();
      await minutes(5);
      expect(platform.ours.refusedMs).toEqual([]);
      // In the first two minutes the workers find each other.
      expect(perMinute(platform.ours.takenMs, 2, 5)).toBeGreaterThanOrEqual(0.95 * limit);
    },
  );
});

describe.each([1, 3])('%i workers with more work than the allowance permits', (count) => {
  it('the workers learn the limit only once, from a few refusals', async () => {
    const platform = new SharedPlatform(200);
    for (const worker of await startAll(platform, count)) worker.work();
    await minutes(7);
    // Up to eight requests per worker are in flight when the window is full.
    expect(platform.ours.refusedMs.length).toBeLessThanOrEqual(8 * count);
    expect(between(platform.ours.refusedMs, 1, 7)).toBe(0);
    const late = platform.worker().work();
    await minutes(3);
    expect(between(platform.ours.refusedMs, 1, 10)).toBe(0);
    expect(between(late.sentMs, 8, 10)).toBeGreaterThan(0);
  });

  it('each worker keeps a permit for urgent requests', async () => {
    const platform = new SharedPlatform(200);
    const workers = await startAll(platform, count, 200);
    for (const worker of workers) worker.work();
    await minutes(2);
    const waits: number[] = [];
    for (let index = 0; index < 24; index += 1) {
      const waiting = workers[index % count]?.urgent();
      await vi.advanceTimersByTimeAsync(7_000);
      waits.push((await waiting) ?? Number.POSITIVE_INFINITY);
    }
    // The permits of a single worker become free less often.
    expect(Math.max(...waits)).toBeLessThanOrEqual((2 * minuteMs * count) / 200);
  });
});

describe('fewer permits than workers', () => {
  it.each([
    [12, 5],
    [3, 1],
  ])('%i workers take turns with %i permits, without a refusal', async (count, limit) => {
    const platform = new SharedPlatform(limit);
    const workers = await startAll(platform, count, limit);
    for (const worker of workers) worker.work(1);
    await minutes(8);
    expect(platform.ours.refusedMs).toEqual([]);
    expect(perMinute(platform.ours.takenMs, 0, 8)).toBeGreaterThanOrEqual(0.8 * limit);
    for (const worker of workers) expect(worker.sentMs.length).toBeGreaterThan(1);
  });
});

describe('the share of a worker', () => {
  it('a worker that joins gets its share within a minute', async () => {
    const platform = new SharedPlatform(200);
    platform.worker(200).work();
    await minutes(3);
    const second = platform.worker(200).work();
    await minutes(3);
    expect(between(second.sentMs, 3, 4)).toBeGreaterThanOrEqual(40);
    expect(perMinute(second.sentMs, 5, 6)).toBeGreaterThanOrEqual(80);
    expect(perMinute(platform.ours.takenMs, 3, 4)).toBeGreaterThanOrEqual(0.7 * 200);
    expect(perMinute(platform.ours.takenMs, 4, 6)).toBeGreaterThanOrEqual(0.95 * 200);
  });

  it('the share of a killed worker is free again after its lease and a minute', async () => {
    const platform = new SharedPlatform(200);
    const first = platform.worker(200).work();
    await minutes(2);
    first.kill();
    const second = platform.worker(200).work();
    await minutes(4);
    expect(platform.ours.refusedMs).toEqual([]);
    expect(perMinute(second.sentMs, 5, 6)).toBeGreaterThanOrEqual(0.95 * 200);
  });

  it('the share of a worker that stops properly is free again as its requests expire', async () => {
    const platform = new SharedPlatform(200);
    const first = platform.worker(200).work();
    await minutes(2);
    const stopping = first.stop();
    await vi.advanceTimersByTimeAsync(2_000);
    await stopping;
    const second = platform.worker(200).work();
    await minutes(2);
    expect(platform.ours.refusedMs).toEqual([]);
    expect(between(second.sentMs, 2, 3.2)).toBeGreaterThanOrEqual(110);
  });

  it('a worker needs few queries: two per minute if it alone is busy, and one if it is idle', async () => {
    const platform = new SharedPlatform(600);
    const worker = platform.worker(600);
    await minutes(10);
    expect(platform.questions).toBeLessThanOrEqual(12);
    const before = platform.questions;
    void (async () => {
      for (let index = 0; index < 80; index += 1) {
        await worker.urgent();
        await new Promise((resolve) => setTimeout(resolve, 250));
      }
    })();
    await vi.advanceTimersByTimeAsync(20_000);
    expect(platform.questions - before).toBeLessThanOrEqual(2);
  });
});

describe('another client with the same key', () => {
  const foreignClient = (platform: SharedPlatform, perMin: number) => {
    const came = { takenMs: [] as number[], refusedMs: [] as number[] };
    const timer = setInterval(() => platform.take(came), minuteMs / perMin);
    return { came, leave: () => clearInterval(timer) };
  };

  it('another client that uses half of the allowance keeps it, and the whole allowance is ours again minutes after the client ends', async () => {
    const platform = new SharedPlatform(200);
    for (const worker of await startAll(platform, 3, 200)) worker.work();
    await minutes(3);
    const { came, leave } = foreignClient(platform, 100);
    await minutes(20);
    expect(between(came.refusedMs, 8, 23)).toBeLessThanOrEqual(0.08 * 15 * 100);
    expect(perMinute(platform.ours.takenMs, 8, 23)).toBeGreaterThanOrEqual(0.9 * 100);
    const refused = between(platform.ours.refusedMs, 8, 23);
    expect(refused / between(platform.ours.takenMs, 8, 23)).toBeLessThanOrEqual(0.02);
    leave();
    await minutes(16);
    expect(perMinute(platform.ours.takenMs, 37, 39)).toBeGreaterThanOrEqual(0.9 * 200);
  });
});

describe('faults of Temporal and its workflow', () => {
  it('workers send few requests during two minutes without Temporal, and recover afterwards', async () => {
    const platform = new SharedPlatform(200);
    const workers = await startAll(platform, 3, 200);
    for (const worker of workers) worker.work();
    await minutes(3);
    platform.isTemporalGone = true;
    await minutes(2);
    platform.isTemporalGone = false;
    await minutes(4);
    const sent = between(platform.ours.takenMs, 4, 5);
    expect(sent).toBeGreaterThanOrEqual(20);
    // Each worker uses a tenth of the allowance once its lease has ended.
    expect(sent).toBeLessThanOrEqual(3 * 20);
    expect(platform.ours.refusedMs).toEqual([]);
    expect(perMinute(platform.ours.takenMs, 7, 9)).toBeGreaterThanOrEqual(0.95 * 200);
  });

  it('a terminated workflow causes no refusal', async () => {
    const platform = new SharedPlatform(200);
    for (const worker of await startAll(platform, 3, 200)) worker.work();
    await minutes(3);
    platform.endWorkflow();
    await minutes(4);
    expect(platform.ours.refusedMs).toEqual([]);
    expect(perMinute(platform.ours.takenMs, 3, 7)).toBeGreaterThanOrEqual(0.9 * 200);
  });

  it('a query that fails before Temporal has ever responded is not reported', async () => {
    const platform = new SharedPlatform(200);
    platform.isTemporalGone = true;
    const worker = platform.worker(200).work();
    await minutes(0.03);
    platform.isTemporalGone = false;
    await minutes(1);
    expect(worker.sharing).toEqual([{ isShared: true, reason: '' }]);
  });

  it('a worker without a response uses its own budget, and reports this once', async () => {
    const platform = new SharedPlatform(200);
    platform.isTemporalGone = true;
    const worker = platform.worker(200).work();
    await minutes(3);
    expect(worker.sharing).toEqual([{ isShared: false, reason: 'Temporal does not answer' }]);
    expect(perMinute(platform.ours.takenMs, 1, 3)).toBeGreaterThanOrEqual(0.95 * 200);
    platform.isTemporalGone = false;
    await minutes(1);
    expect(worker.sharing.at(-1)).toEqual({ isShared: true, reason: '' });
  });
});
