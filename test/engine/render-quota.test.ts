// Renders with a quota. They are counted once, before they are submitted, and never exceed the quota of the month.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RenderReservations } from '../../src/engine/cost/render-reservations.ts';
import type { NodeContext } from '../../src/engine/node-context.ts';
import { exportSheets } from '../../src/features/production/export-sheets.ts';
import { submitRenders } from '../../src/features/renders/submit-renders.ts';
import type { RenderQuota } from '../../src/plan/render-quota.ts';
import type { AssetResult, StepAsset } from '../../src/plan/types.ts';
import { renderCountsAt } from '../../src/store/calls/render-counts.ts';
import { clientOf, json, refuse, startServer, type TestServer } from '../api/_server.ts';
import { MemoryBucket, MemoryConnector } from '../connectors/_memory-connector.ts';
import { assetOf, storeOn } from '../store/_store.ts';
import { nodeContext } from './_context.ts';

const november = Date.parse('2026-11-20T10:00:00Z');
const december = Date.parse('2026-12-01T00:00:01Z');

let nowMs: number;
let server: TestServer;
let bucket: MemoryBucket;
/** Projects of each call that the platform has accepted, by idempotency key. */
let accepted: Map<string, string[]>;
/** Projects that do not exist on the platform, and projects for which the platform starts no job. */
let unknown: string[];
let ignored: string[];
/** Status of the response for unknown projects. The platform repeats it for the same idempotency key. */
let refusalStatus: number;
let refusedKeys: Set<string>;
/** The platform accepts the work, but its response is an error. */
let isFailing: boolean;

beforeEach(async () => {
  nowMs = november;
  bucket = new MemoryBucket();
  accepted = new Map();
  unknown = [];
  ignored = [];
  refusalStatus = 404;
  refusedKeys = new Set();
  isFailing = false;
  server = await startServer();
  server.respondWith(({ method, headers, body }, response) => {
    const date = { date: new Date(nowMs).toUTCString() };
    const jobsOf = (projects: readonly string[]) => ({
      batchId: 'batch',
      jobs: projects
        .filter((one) => !ignored.includes(one))
        .map((projectId) => ({ jobId: `job-${projectId}`, status: 'PENDING', projectId })),
      totalProjects: projects.length,
    });
    if (method === 'GET') return json(response, 200, { ...jobsOf([]), total: 0, counts: {} }, date);
    const { projectIds } = JSON.parse(body) as { projectIds: string[] };
    const key = String(headers['idempotency-key']);
    if (projectIds.some((one) => unknown.includes(one))) refusedKeys.add(key);
    if (refusedKeys.has(key)) return refuse(response, refusalStatus, 'PROJECT_NOT_FOUND', date);
    accepted.set(key, projectIds);
    if (isFailing) return refuse(response, 500, 'INTERNAL_ERROR', date);
    return json(response, 201, jobsOf(projectIds), date);
  });
});
afterEach(() => server.close());

const sizes = () => [...accepted.values()].map(({ length }) => length);
const assets = (...keys: string[]): StepAsset[] =>
  keys.map((key) => assetOf(key, { projectId: `p-${key}`, modelId: `m-${key}` }));
const eight = assets('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h');

const quota: RenderQuota = {
  perMonth: 5,
  per: 'pipeline',
  timezone: 'UTC',
  onBreach: 'stop',
};

/** A worker in its own attempt, with empty memory. */
function worker(
  more: Partial<RenderQuota> = {},
  parts: Partial<NodeContext> = {},
  connector = new MemoryConnector(bucket),
  {
    now = () => nowMs,
    runNow = () => nowMs - november,
    certainNow = async () => nowMs,
  }: Partial<Pick<NodeContext['client'], 'certainNow'> & Pick<NodeContext, 'now' | 'runNow'>> = {},
): NodeContext {
  const clock = { now, runNow };
  const counts = renderCountsAt(connector, 'shoes', 'UTC');
  return nodeContext({
    client: { ...clientOf(server, { now: () => nowMs }), certainNow },
    store: storeOn(connector, 'run'),
    renderQuota: new RenderReservations({ ...quota, ...more }, counts, clock),
    ...clock,
    ...parts,
  });
}

/** The store on which a worker dies before the worker counts its renders. */
const dying = () =>
  new MemoryConnector(bucket, async (operation, path) => {
    if (operation === 'create' && path.includes('/renders/')) throw new Error('killed');
  });

const submit = (some: StepAsset[], context: NodeContext) =>
  submitRenders({ settings: {} }, some, context);
const used = (month = '2026-11') =>
  renderCountsAt(new MemoryConnector(bucket), 'shoes', 'UTC').countUsed(month);
const outcomes = (results: readonly AssetResult[]) =>
  results.map((one) => ('code' in one ? one.code : one.outcome));
const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);

describe('eight renders with a monthly quota of five', () => {
  it('`stop` submits five in one request, and three fail with the start of the next month in the message', async () => {
    const results = await submit(eight, worker());
    expect(outcomes(results)).toEqual([...times(5, 'done'), ...times(3, 'RENDER_QUOTA_REACHED')]);
    expect(results.at(-1)).toMatchObject({
      message:
        'the render was not submitted: it would exceed the quota of the pipeline (5 renders a month); the next month begins on 2026-12-01 00:00 UTC',
    });
    expect([sizes(), await used()]).toEqual([[5], 5]);
  });

  it('`wait` submits five, and the others have no result before the next month', async () => {
    const context = worker({ onBreach: 'wait' });
    const results = await submit(eight, context);
    expect(results.map(({ key }) => key)).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(context.renderQuota?.hold).toEqual({
      untilMs: Date.parse('2026-12-01') - november + 5_000,
      until: '2026-12-01T00:00:00.000Z',
      for: 'the render quota of the next month',
    });
  });

  it("`wait` keeps the others at least until the end of the month, even if Temporal's clock is ahead", async () => {
    const aheadMs = 25_000;
    const runNow = () => nowMs - november + aheadMs;
    const context = worker({ onBreach: 'wait' }, {}, undefined, { runNow });
    await submit(eight, context);
    expect(context.renderQuota?.hold?.untilMs).toBeGreaterThanOrEqual(
      Date.parse('2026-12-01') - november + aheadMs,
    );
  });

  it('the others are submitted in the next month', async () => {
    await submit(eight, worker({ onBreach: 'wait' }));
    nowMs = december;
    const later = worker({ onBreach: 'wait' });
    expect(outcomes(await submit(eight.slice(5), later))).toEqual(times(3, 'done'));
    expect(later.renderQuota?.hold).toBeUndefined();
    expect([sizes(), await used(), await used('2026-12')]).toEqual([[5, 3], 5, 3]);
  });

  it("a worker that slept past the end of the month reads the platform's time", async () => {
    await submit(eight, worker({ onBreach: 'wait' }));
    let knownMs = nowMs;
    nowMs = december;
    const certainNow = async () => {
      knownMs = nowMs;
      return nowMs;
    };
    const slept = worker({ onBreach: 'wait' }, {}, undefined, { now: () => knownMs, certainNow });
    expect(outcomes(await submit(eight.slice(5), slept))).toEqual(times(3, 'done'));
  });

  it('the others are submitted immediately if the quota is raised', async () => {
    await submit(eight, worker());
    expect(outcomes(await submit(eight.slice(5), worker({ perMonth: 8 })))).toEqual(
      times(3, 'done'),
    );
    expect([sizes(), await used()]).toEqual([[5, 3], 8]);
  });

  it('two concurrent workers together stay within five', async () => {
    const results = await Promise.all([
      submit(eight.slice(0, 4), worker()),
      submit(eight.slice(4), worker()),
    ]);
    expect(outcomes(results.flat()).filter((one) => one === 'done')).toHaveLength(5);
    expect(sizes().reduce((sum, size) => sum + size, 0)).toBe(5);
    expect(await used()).toBe(5);
  });
});

describe('the quota and a call', () => {
  it('a call that another attempt repeats is counted and sent only once', async () => {
    await submit(eight.slice(0, 4), worker());
    expect(outcomes(await submit(eight.slice(0, 4), worker()))).toEqual(times(4, 'done'));
    expect([sizes(), await used()]).toEqual([[4], 4]);
  });

  it('a call whose worker was killed after the count is not counted again', async () => {
    const killed = worker({}, { confirmLease: () => Promise.reject(new Error('killed')) });
    await expect(submit(eight.slice(0, 4), killed)).rejects.toThrow('killed');
    expect([sizes(), await used()]).toEqual([[], 4]);
    await submit(eight.slice(0, 4), worker());
    expect([sizes(), await used()]).toEqual([[4], 4]);
  });

  it.each([
    ['in the same month', '2026-11-30T22:00Z', '2026-11'],
    ['in the next month, if it is repeated then', '2026-12-01T01:00Z', '2026-12'],
    ['even after its key would have expired', '2026-12-02T03:00Z', '2026-12'],
  ])(
    'a call is counted %s if its worker was killed before the count',
    async (_when, again, month) => {
      nowMs = Date.parse('2026-11-30T21:00Z');
      await expect(submit(eight.slice(0, 4), worker({}, {}, dying()))).rejects.toThrow('killed');
      nowMs = Date.parse(again);
      expect(outcomes(await submit(eight.slice(0, 4), worker()))).toEqual(times(4, 'done'));
      expect([sizes(), await used(month)]).toEqual([[4], 4]);
    },
  );

  it('a call that was never counted and no longer fits is not sent in the next month', async () => {
    nowMs = Date.parse('2026-11-30T20:00Z');
    await expect(submit(eight.slice(0, 4), worker({}, {}, dying()))).rejects.toThrow('killed');
    await submit(eight.slice(4, 7), worker());
    await submit(eight.slice(0, 4), worker({ onBreach: 'wait' }));
    nowMs = Date.parse('2026-12-01T01:00Z');
    await submit(eight.slice(2, 4), worker({ onBreach: 'wait' }));
    expect([sizes(), await used(), await used('2026-12')]).toEqual([[3, 2, 2], 5, 2]);
  });

  it.each(['counted', 'sent'])(
    'a call that another attempt finishes before it is %s is paid for once',
    async (moment) => {
      const four = eight.slice(0, 4);
      let other: Promise<AssetResult[]> | undefined;
      const finish = () => {
        other ??= submit(four, worker());
        return other;
      };
      const slow = new MemoryConnector(bucket, async (operation, path) => {
        const isCount = operation === 'create' && path.includes('/renders/');
        if (isCount && moment === 'counted') await finish();
      });
      const confirmLease = async () => {
        await finish();
        throw new Error('replaced');
      };
      await expect(submit(four, worker({}, { confirmLease }, slow))).rejects.toThrow('replaced');
      expect(outcomes(await finish())).toEqual(times(4, 'done'));
      expect([sizes(), await used()]).toEqual([[4], 4]);
    },
  );

  it.each([
    ['without a quota', false],
    ['after its quota was removed', true],
  ])(
    'a call that was sent %s is sent again under its key and counted, even if it no longer fits',
    async (_how, isWritten) => {
      const four = eight.slice(0, 4);
      if (isWritten) await expect(submit(four, worker({}, {}, dying()))).rejects.toThrow('killed');
      isFailing = true;
      await expect(submit(four, worker({}, { renderQuota: null }))).rejects.toThrow();
      isFailing = false;
      expect(outcomes(await submit(four, worker({ perMonth: 3 })))).toEqual(times(4, 'done'));
      expect([sizes(), await used()]).toEqual([[4], 4]);
    },
  );

  it('a call that fails on the platform stays counted and is not counted again', async () => {
    isFailing = true;
    await expect(submit(eight.slice(0, 4), worker())).rejects.toThrow();
    expect(await used()).toBe(4);
    isFailing = false;
    await submit(eight.slice(0, 4), worker());
    expect([sizes(), await used()]).toEqual([[4], 4]);
  });

  it('a call that the platform refuses for one project returns that render to the quota', async () => {
    unknown = ['p-b'];
    const results = await submit(eight.slice(0, 4), worker());
    expect(outcomes(results)).toEqual(['done', 'PROJECT_NOT_FOUND', 'done', 'done']);
    expect(await used()).toBe(3);
  });

  it.each([410, 423])(
    'a call refused with the undocumented status %i for one project starts the other renders and counts only them',
    async (status) => {
      refusalStatus = status;
      unknown = ['p-b'];
      const results = await submit(eight.slice(0, 4), worker());
      expect(outcomes(results)).toEqual(['done', 'PROJECT_NOT_FOUND', 'done', 'done']);
      expect(await used()).toBe(3);
    },
  );

  it.each([402, 451])(
    'a call refused with the undocumented status %i is not counted, and a later attempt sends it under another key',
    async (status) => {
      refusalStatus = status;
      unknown = ['p-a'];
      await expect(submit(eight.slice(0, 4), worker())).rejects.toMatchObject({ status });
      expect(await used()).toBe(0);
      unknown = [];
      expect(outcomes(await submit(eight.slice(0, 4), worker()))).toEqual(times(4, 'done'));
      expect([sizes(), await used()]).toEqual([[4], 4]);
    },
  );

  it('a call that starts fewer renders than it has projects returns the rest to the quota', async () => {
    ignored = ['p-b', 'p-c'];
    const results = await submit(eight.slice(0, 4), worker());
    expect(outcomes(results).filter((one) => one === 'RENDER_NOT_STARTED')).toHaveLength(2);
    expect(await used()).toBe(2);
  });
});

it.each(['stop', 'wait'] as const)(
  'with `%s`, a production file with more variants than the quota fails without waiting',
  async (onBreach) => {
    const context = worker({ onBreach });
    const asset = assetOf('a', { modelId: 'm-a', variants: ['1', '2', '3', '4', '5', '6'] });
    expect(await exportSheets({}, [asset], context)).toMatchObject([
      {
        code: 'RENDER_QUOTA_REACHED',
        message:
          'it needs 6 renders at once, but the quota of the pipeline is 5 a month; raise `limits.renders.perMonth`',
      },
    ]);
    expect([context.renderQuota?.hold, await used()]).toEqual([undefined, 0]);
  },
);

it('a pipeline without a quota counts no renders', async () => {
  await submit(eight, worker({}, { renderQuota: null }));
  expect(sizes()).toEqual([8]);
  expect([...bucket.files.keys()].filter((path) => path.includes('/renders/'))).toEqual([]);
});
