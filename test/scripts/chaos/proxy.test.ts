// Each fault of the proxy has its defined effect, seen from both ends.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type FaultKind, planRound } from '../../../scripts/chaos/plan.ts';
import { openProxy, type Proxy } from '../../../scripts/chaos/proxy.ts';

const created = '2026-11-30T08:00:00.000Z';
let platform: Server;
let proxy: Proxy | undefined;
/** Requests that the platform has received: method, path and body length. */
let taken: string[];
let status: number;

beforeEach(async () => {
  taken = [];
  status = 200;
  platform = createServer((incoming, out) => {
    buffer(incoming).then(
      (body) => {
        taken.push(`${incoming.method} ${incoming.url} ${body.length}`);
        out.writeHead(status, { 'content-type': 'application/json' });
        out.end(
          JSON.stringify({
            jobId: 'j1',
            createdAt: created,
            models: [{ modelId: 'm1' }],
            total: 1,
          }),
        );
      },
      () => taken.push('cut'),
    );
  });
  await new Promise<void>((resolve) => platform.listen(0, '127.0.0.1', resolve));
});

afterEach(async () => {
  await proxy?.close();
  platform.closeAllConnections();
  await new Promise((resolve) => platform.close(resolve));
});

/** A proxy with only these faults. They apply to every request. */
async function stormOf(...kinds: FaultKind[]): Promise<Proxy> {
  const { port } = platform.address() as AddressInfo;
  const plan = { ...planRound(1, { only: kinds }), faultShare: 1 };
  proxy = await openProxy(`http://127.0.0.1:${port}`, plan);
  proxy.startFaults();
  return proxy;
}

const ask = async (through: Proxy, path: string, init: RequestInit = {}) => {
  const answer = await fetch(`${through.url}${path}`, init);
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
};

const post = { method: 'POST', body: '{}' };

describe('a request', () => {
  test('a request passes unchanged without faults', async () => {
    const through = await stormOf();
    expect(await ask(through, '/jobs?x=1', post)).toMatchObject({ status: 200 });
    expect(taken).toEqual(['POST /api/v1/jobs?x=1 2']);
    expect(through.counts.faults).toEqual({});
  });

  test.each<[FaultKind, 'taken' | 'not taken']>([
    ['drops-before', 'not taken'],
    ['drops-after', 'taken'],
  ])('a request that is dropped by %s is %s by the platform', async (kind, outcome) => {
    const through = await stormOf(kind);
    await expect(ask(through, '/jobs', post)).rejects.toThrow();
    expect(taken).toHaveLength(outcome === 'taken' ? 1 : 0);
    expect(through.counts.faults).toEqual({ [kind]: 1 });
  });

  test.each<[FaultKind, 'taken' | 'not taken']>([
    ['errors-before', 'not taken'],
    ['errors-after', 'taken'],
  ])(
    'a request that gets another response through %s is %s by the platform',
    async (kind, outcome) => {
      const through = await stormOf(kind);
      expect([500, 502, 503, 504]).toContain((await ask(through, '/jobs', post)).status);
      expect(taken).toHaveLength(outcome === 'taken' ? 1 : 0);
    },
  );

  test('a request gets a page of a gateway, without any work', async () => {
    const through = await stormOf('gateway');
    const answer = await fetch(`${through.url}/jobs`, post);
    expect([403, 404, 405]).toContain(answer.status);
    expect(await answer.text()).toMatch(/^<!doctype html>/);
    expect(taken).toEqual([]);
  });

  test('a read gets pages of a gateway, too', async () => {
    const through = await stormOf('gateway');
    const reads = await Promise.all(
      Array.from({ length: 30 }, async () => (await fetch(`${through.url}/jobs/j1`)).status),
    );
    expect(new Set(reads)).toEqual(new Set([403, 404, 405]));
  });

  test('a request gets a successful web page, or nothing, after the work', async () => {
    const through = await stormOf('pages');
    const answers = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const answer = await fetch(`${through.url}/jobs`, post);
        return [answer.status, (await answer.text()).slice(0, 9)];
      }),
    );
    expect(new Set(answers.map(String))).toEqual(new Set(['200,<!doctype', '200,']));
    expect(taken).toHaveLength(20);
  });

  test('a request gets a partial response through the fault `cuts`', async () => {
    const through = await stormOf('cuts');
    await expect(ask(through, '/jobs')).rejects.toThrow();
    expect(taken).toEqual(['GET /api/v1/jobs 0']);
  });

  test('a request gets the complete response when it is slow', async () => {
    const through = await stormOf('slow');
    expect((await ask(through, '/jobs')).body).toMatchObject({ jobId: 'j1' });
  });
});

describe('reads', () => {
  test('a read may repeat an earlier response with the fault `stale`', async () => {
    const through = await stormOf('stale');
    for (let reads = 0; reads < 20; reads += 1) await ask(through, '/jobs/j1');
    expect(taken.length).toBeLessThan(20);
    expect(taken.length + (through.counts.faults.stale ?? 0)).toBe(20);
    expect(await ask(through, '/jobs', post)).toMatchObject({ status: 200 });
  });

  test('a list returns few items with the fault `short-pages`', async () => {
    const through = await stormOf('short-pages');
    await ask(through, '/models?limit=100&offset=0');
    expect(taken).toEqual(['GET /api/v1/models?limit=3&offset=0 0']);
  });

  test('all times of the platform are off by the same amount with the fault `clock`', async () => {
    const through = await stormOf('clock');
    const answer = await fetch(`${through.url}/jobs/j1`);
    const { createdAt } = (await answer.json()) as { createdAt: string };
    const aheadMs = Date.parse(createdAt) - Date.parse(created);
    expect([-1, 1, 26]).toContain(aheadMs / 3_600_000);
    const dateMs = Date.parse(answer.headers.get('date') ?? '');
    expect(Math.abs(dateMs - aheadMs - Date.now())).toBeLessThan(60_000);
  });
});

describe('a held call', () => {
  const signal = new AbortController().signal;
  test.each([
    ['before', 0],
    ['after', 1],
  ] as const)(
    'a held call is stopped %s the platform has done the work, while other calls pass',
    async (held, done) => {
      const through = await stormOf();
      const holding = through.hold({ heldCall: 'createJob', heldAt: held, nth: 2 }, signal);
      await ask(through, '/jobs', post);
      await ask(through, '/projects', post);
      taken = [];
      let isAnswered = false;
      const asking = ask(through, '/jobs', post).then(() => {
        isAnswered = true;
      });
      const { release } = await holding;
      expect(taken).toHaveLength(done);
      await ask(through, '/jobs', post);
      expect(isAnswered).toBe(false);
      release();
      await asking;
    },
  );

  test('a held call passes if the wait was abandoned', async () => {
    const through = await stormOf();
    const vain = new AbortController();
    const holding = through.hold({ heldCall: 'createJob', heldAt: 'before', nth: 1 }, vain.signal);
    vain.abort(new Error('in vain'));
    await expect(holding).rejects.toThrow('in vain');
    expect(await ask(through, '/jobs', post)).toMatchObject({ status: 200 });
  });
});

test('times are counted from the first call that creates a resource', async () => {
  const through = await stormOf('drops-after');
  let isBegun = false;
  through.firstCreation.then(
    () => {
      isBegun = true;
    },
    () => undefined,
  );
  await expect(ask(through, '/jobs')).rejects.toThrow();
  expect(isBegun).toBe(false);
  await expect(ask(through, '/jobs', post)).rejects.toThrow();
  expect(isBegun).toBe(true);
});

test('an upload is cut in the middle', async () => {
  const through = await stormOf('cuts');
  const url = through.url.replace('/api/v1', '/storage/upload/x');
  await expect(fetch(url, { method: 'PUT', body: 'x'.repeat(1_000) })).rejects.toThrow();
  await expect.poll(() => taken).toEqual(['cut']);
});

describe('a new resource', () => {
  test('a new resource cannot be read at first with the fault `lag`', async () => {
    const through = await stormOf('lag');
    await ask(through, '/jobs', post);
    expect(await ask(through, '/jobs/j1')).toMatchObject({ status: 404 });
    expect(await ask(through, '/jobs/j1/confirm-uploads', post)).toMatchObject({ status: 200 });
  });

  test('a new resource cannot be used at first with the fault `lag-writes`', async () => {
    const through = await stormOf('lag-writes');
    await ask(through, '/jobs', post);
    const body = JSON.stringify({ modelIds: ['m1'] });
    expect(await ask(through, '/projects', { method: 'POST', body })).toMatchObject({
      status: 404,
    });
    expect(await ask(through, '/jobs/j1')).toMatchObject({ status: 200 });
  });

  test.each<[FaultKind, string, string]>([
    ['lists', '/models', '/jobs/j0'],
    ['batches', '/jobs/j0', '/models'],
  ])(
    'a new resource is missing with the fault %s from %s, but not from %s',
    async (kind, without, within) => {
      const through = await stormOf(kind);
      await ask(through, '/jobs', post);
      expect((await ask(through, without)).body).toMatchObject({ models: [] });
      expect((await ask(through, within)).body).toMatchObject({ models: [{ modelId: 'm1' }] });
    },
  );

  test('a new resource stays missing from lists, even after the faults have stopped', async () => {
    const through = await stormOf('lists');
    await ask(through, '/jobs', post);
    through.stopFaults();
    expect((await ask(through, '/models')).body).toMatchObject({ models: [], total: 0 });
    expect(through.counts.faults).toEqual({ lists: 1 });
  });

  test('a new resource is visible immediately without faults', async () => {
    const through = await stormOf('lists');
    through.stopFaults();
    await ask(through, '/jobs', post);
    expect((await ask(through, '/models')).body).toMatchObject({ total: 1 });
  });
});

test('bursts of 429 responses are not counted as refusals by the platform', async () => {
  const through = await stormOf('limits');
  await ask(through, '/jobs', post);
  const met = async () => (await ask(through, '/jobs')).status;
  await expect.poll(met, { timeout: 10_000 }).toBe(429);
  expect(through.counts.refusals).toBe(0);
});

test('work that the platform does but forgets is counted', async () => {
  const through = await stormOf('forgets');
  status = 500;
  await ask(through, '/jobs', post);
  expect(through.counts.faults).toEqual({ forgets: 1 });
});

test('refusals by the platform and keys sent to storage are counted', async () => {
  const through = await stormOf();
  status = 429;
  await ask(through, '/jobs');
  const url = through.url.replace('/api/v1', '/storage/download/x');
  await fetch(url, { headers: { 'x-api-key': 'k' } });
  expect(through.counts).toMatchObject({ refusals: 2, keysSentToStorage: 1 });
});
