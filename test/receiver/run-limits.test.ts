// Limits of callers that start runs: each caller has its own, which unauthorized requests do not use up.
import { expect, test } from 'vitest';
import { maxConcurrentRequests } from '../../src/receiver/runs/caller-limits.ts';
import {
  bearer,
  newSecret,
  nowSeconds,
  path,
  runReceiver,
  signed,
  started,
  token,
} from './_run-requests.ts';

test('a caller gets 429 with the time to wait, and is accepted again after that time', async () => {
  const { ask, clock, runs } = await runReceiver({ perMinute: 3 });
  const statuses = async (count: number) => {
    const answers = [];
    for (let n = 0; n < count; n += 1) answers.push(await ask(signed({}, `key-${n}`)));
    return answers.map(({ status, headers }) => [status, headers['retry-after']]);
  };
  const ok = [202, undefined];
  expect(await statuses(5)).toEqual([ok, ok, ok, [429, '20'], [429, '20']]);
  clock.ms += 19_000;
  expect(await statuses(1)).toEqual([[429, '1']]);
  clock.ms += 1_000;
  expect(await statuses(2)).toEqual([ok, [429, '20']]);
  clock.ms += 3_600_000;
  expect(await statuses(4)).toEqual([ok, ok, ok, [429, '20']]);
  expect(runs.counts).toMatchObject({ started: 7, limited: 5 });
});

test('each caller of a pipeline has its own limit, and reads are limited separately from starts', async () => {
  const { ask } = await runReceiver({ perMinute: 1 });
  const status = async (request: Parameters<typeof ask>[0]) => (await ask(request)).status;
  expect([await status(signed()), await status(signed())]).toEqual([202, 429]);
  expect(await status(signed({}, 'k', nowSeconds, newSecret))).toBe(202);
  const read = { method: 'GET', path: `${path}/shop-http-1`, headers: bearer(token, '') };
  const reads = [];
  for (let n = 0; n < 11; n += 1) reads.push(await status(read));
  expect(reads).toEqual([...Array.from({ length: 10 }, () => 200), 429]);
  expect(await status({ headers: bearer() })).toBe(202);
});

test('unauthorized requests do not use up a limit', async () => {
  const { ask, runs } = await runReceiver({ perMinute: 1 });
  const strange = Array.from({ length: 200 }, (_, n) =>
    ask({ path: n % 2 === 0 ? path : `/pipelines/p${n}/runs`, headers: bearer('x'.repeat(40)) }),
  );
  expect(new Set((await Promise.all(strange)).map(({ status }) => status))).toEqual(new Set([401]));
  expect((await ask(signed())).status).toBe(202);
  expect(runs.counts).toMatchObject({ unauthorized: 200, limited: 0 });
});

test('if 1,000 requests arrive at the same time, only the allowed number start runs and all others get 429', async () => {
  const waiting: (() => void)[] = [];
  const { ask, starts, runs } = await runReceiver({
    perMinute: 50,
    start: () => new Promise((resolve) => waiting.push(() => resolve(started))),
  });
  const asked = Array.from({ length: 1_000 }, (_, n) => ask(signed({}, `key-${n}`)));
  await expect
    .poll(() => runs.counts.limited, { timeout: 60_000 })
    .toBe(1_000 - maxConcurrentRequests);
  for (const finish of waiting.splice(0)) finish();
  const answers = await Promise.all(asked);
  const of = (status: number) => answers.filter((one) => one.status === status);
  expect([of(202).length, of(429).length]).toEqual([
    maxConcurrentRequests,
    1_000 - maxConcurrentRequests,
  ]);
  expect(of(429).every(({ headers }) => Number(headers['retry-after']) >= 1)).toBe(true);
  expect(starts).toHaveLength(maxConcurrentRequests);
  expect(runs.counts.failed).toBe(0);
});
