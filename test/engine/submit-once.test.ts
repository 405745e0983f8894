// Creating calls are paid once. An intent is written first, and a refused call can be sent again under another key.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { startSandbox } from '../../packages/sandbox/src/server/server.ts';
import { type Client, createClient } from '../../src/api/client.ts';
import { RateBudget } from '../../src/api/rate-limit/budget.ts';
import { RequestCounter } from '../../src/api/request-counter.ts';
import { openConnector } from '../../src/connectors/index.ts';
import type { NodeContext } from '../../src/engine/node-context.ts';
import { callOptions } from '../../src/engine/submit/call-outcome.ts';
import type { Creation } from '../../src/engine/submit/creation.ts';
import { findPossibleDuplicates } from '../../src/engine/submit/find-possible-duplicates.ts';
import { finishEarlierCalls } from '../../src/engine/submit/finish-earlier-calls.ts';
import { submitOnce } from '../../src/engine/submit/submit-once.ts';
import { modelCreation } from '../../src/features/models/creations.ts';
import { projectCreation } from '../../src/features/projects/creations.ts';
import { renderCreation } from '../../src/features/renders/creations.ts';
import { openRunStore } from '../../src/features/run-store.ts';
import type { PlatformIds } from '../../src/plan/platform-ids.ts';
import type { Asset } from '../../src/plan/types.ts';
import type { RunningSandbox } from '../../src/sandbox/interface.ts';
import { ManualClock } from '../api/_clock.ts';
import { clientOf, json, startServer } from '../api/_server.ts';
import { assets } from '../plan/_steps.ts';
import { nodeContext, runContext } from './_context.ts';

let folder: string;
let sandbox: RunningSandbox;
let client: Client;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'renderline-intents-'));
  sandbox = await startSandbox({ speed: 50, rateLimit: 0, pictureScale: 0 });
  client = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey, budget: new RateBudget() });
});
afterEach(async () => {
  await client.close();
  await sandbox.stop();
  await rm(folder, { recursive: true, force: true });
});

/** A new attempt: same run, same records, nothing in memory. */
function attempt(): NodeContext {
  const run = runContext({ records: { type: 'local', path: folder } });
  return nodeContext({
    client,
    run,
    store: openRunStore(openConnector(run.records), run),
    requests: new RequestCounter(),
    now: Date.now,
  });
}

async function control(path: string, body: unknown) {
  const answer = await fetch(`${sandbox.origin}/_sandbox/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(answer.status).toBe(200);
}

async function created(kind: 'models' | 'projects'): Promise<number> {
  const stats = await (await fetch(`${sandbox.origin}/_sandbox/stats`)).json();
  return (stats as { created: Record<string, number> }).created[kind] ?? 0;
}

/** What earlier attempts have created. */
async function made(of: readonly Asset[], creation: Creation, context: NodeContext) {
  return (await finishEarlierCalls(of, [creation], context)).platformIds;
}

const three = assets('a', 'b', 'c');
const models = {
  creation: modelCreation,
  body: { models: three.map(({ key }) => ({ name: key, fileType: 'glb' })) },
  assets: three,
  epoch: 0,
  purpose: 'models',
};
const projects = (...modelIds: string[]) => ({
  creation: projectCreation,
  body: { modelIds, createPerModel: true },
  assets: three.slice(0, modelIds.length),
  epoch: 0,
  purpose: 'projects',
});

const assetsWith = (platformIds: PlatformIds) => three.map((asset) => ({ ...asset, platformIds }));
const withModels = three.map((asset) => ({ ...asset, platformIds: { modelId: 'nobody' } }));

describe('a successful call', () => {
  it('a successful call is not sent again by a later attempt, which gets its ids', async () => {
    const first = await submitOnce(models, attempt());
    const again = attempt();
    const second = await submitOnce(models, again);
    expect(second.platformIds).toEqual(first.platformIds);
    expect(Object.keys(second.platformIds)).toEqual(['a', 'b', 'c']);
    expect(second.response).toBeNull();
    expect(again.requests.total).toBe(0);
    expect(await created('models')).toBe(3);
  });

  it('a successful call is found by an attempt that groups its assets differently', async () => {
    const { platformIds } = await submitOnce(models, attempt());
    const found = await made(assets('b', 'z'), modelCreation, attempt());
    expect(found).toEqual({ b: platformIds['b'] });
  });

  it('a successful call that was later abandoned is not used', async () => {
    const { intent } = await submitOnce(models, attempt());
    const context = attempt();
    await context.store.intents(0, 'step').abandon(intent.key);
    const { calls, platformIds } = await finishEarlierCalls(three, [modelCreation], context);
    expect(platformIds).toEqual({});
    expect(calls.map((call) => call.intent.state)).toEqual(['abandoned']);
  });

  it('a call of another epoch is a different call', async () => {
    const first = await submitOnce(models, attempt());
    const second = await submitOnce({ ...models, epoch: 1 }, attempt());
    expect([first.intent.epoch, second.intent.epoch]).toEqual([undefined, 1]);
    expect(await created('models')).toBe(6);
  });
});

describe('the idempotency key of a call', () => {
  it('the key is the same in every version, so that an upgrade during a call does not pay for it twice', async () => {
    const { intent } = await submitOnce(models, attempt());
    expect(intent.key).toBe('rl-QGcRltu7fTzxxVwdnOvVsZkwx9BUGH1pWaBPctjBY-w');
  });
});

describe('models of the same name that appeared while a call was ambiguous', () => {
  /** Returns the possible duplicates if these are the ids of the assets. */
  async function duplicates(idOf: (own: string, index: number) => string) {
    const context = attempt();
    const { intent, platformIds } = await submitOnce(models, context);
    await client.send('createModels', { body: models.body }, callOptions(context));
    const ids = Object.entries(platformIds).map(([key, { modelId = '' }], index) => {
      return [key, { modelId: idOf(modelId, index) }] as const;
    });
    const found = await findPossibleDuplicates(
      intent,
      modelCreation,
      Object.fromEntries(ids),
      context,
    );
    return found === null ? null : [...found.values()].map((some) => some.length);
  }

  it('each of them is a possible duplicate', async () => {
    expect(await duplicates((own) => own)).toEqual([1, 1, 1]);
  });

  it('nothing is concluded from a list that does not show all models of the call yet', async () => {
    expect(await duplicates((own, index) => (index === 0 ? 'not-listed' : own))).toBeNull();
  });
});

describe('a call whose response is unreadable', () => {
  beforeEach(async () => {
    const server = await startServer();
    onTestFinished(() => server.close());
    server.respondWith((_, response) => json(response, 201, { odd: true }));
    await client.close();
    client = clientOf(server);
  });

  it('an unreadable response about one asset does not affect the others', async () => {
    const call = submitOnce(projects('m1'), attempt());
    await expect(call).rejects.toThrow('createProjects: "projects"');
    const found = made(assetsWith({ modelId: 'm1' }), projectCreation, attempt());
    expect(await found).toEqual({});
  });

  it('the call is not sent again for the other assets if no read can show its results', async () => {
    const renders = {
      creation: renderCreation,
      body: { projectIds: ['p1'] },
      assets: three.slice(0, 1),
      epoch: 0,
      purpose: 'renders',
    };
    await expect(submitOnce(renders, attempt())).rejects.toThrow('createRenders: "batchId"');
    const again = made(assetsWith({ projectId: 'p1' }), renderCreation, attempt());
    await expect(again).rejects.toThrow('"batchId"');
  });
});

describe('a call whose response was lost', () => {
  it.each([
    ['before the platform did any work', { reset: 'before' }],
    ['after the platform had done the work', { reset: 'after' }],
  ])(
    'a call whose response was lost %s is sent again under its key and creates nothing twice',
    async (_name, fault) => {
      await control('faults', [{ match: 'createModels', times: 1, do: fault }]);
      await expect(submitOnce(models, attempt())).rejects.toThrow();
      const found = await made(three, modelCreation, attempt());
      expect(Object.keys(found)).toEqual(['a', 'b', 'c']);
      expect(await created('models')).toBe(3);
    },
  );
});

describe('a call that an earlier attempt has sent, and that is refused before it reaches the operation', () => {
  const geoRestricted = JSON.stringify({ error: { code: 'GEO_RESTRICTED', message: 'no' } });

  it.each([
    ['the location of the worker is not allowed', 403, geoRestricted],
    ['a proxy denies access', 403, '<html>Forbidden</html>'],
    ['a proxy requires a password', 407, '<html>Log in</html>'],
    ['the gateway knows no route while the platform is being deployed', 404, '<html></html>'],
  ])('the work of the earlier attempt is used if %s', async (_name, status, body) => {
    await control('faults', [{ match: 'createModels', times: 1, do: { reset: 'after' } }]);
    await expect(submitOnce(models, attempt())).rejects.toThrow('createModels');
    const gateway = await startServer();
    onTestFinished(() => gateway.close());
    gateway.respondWith((_request, response) => response.writeHead(status).end(body));
    const denied = { ...attempt(), client: clientOf(gateway) };
    await expect(made(three, modelCreation, denied)).rejects.toMatchObject({ status });
    expect(Object.keys(await made(three, modelCreation, attempt()))).toEqual(['a', 'b', 'c']);
    expect(await created('models')).toBe(3);
  });
});

it('a call that a gateway answers with its own 404 keeps its key, however often it is sent', async () => {
  const gateway = await startServer();
  onTestFinished(() => gateway.close());
  gateway.respondWith((_request, response) => response.writeHead(404).end('<html></html>'));
  const denied = { ...attempt(), client: clientOf(gateway) };
  // More often than the platform may refuse a call.
  for (let attempts = 0; attempts <= 100; attempts += 1)
    await expect(submitOnce(models, denied)).rejects.toMatchObject({ code: 'NOT_THE_API' });
  const { intent } = await submitOnce(models, attempt());
  const sentKeys = gateway.received.flatMap(({ headers }) => headers['idempotency-key'] ?? []);
  expect([...new Set(sentKeys)]).toEqual([intent.key]);
  expect(intent.state).toBe('done');
  expect(await created('models')).toBe(3);
});

describe('a call that was refused because its API key had expired', () => {
  it('the call is sent three days later by a worker with a valid API key', async () => {
    const [asset] = assetsWith({ projectId: 'p1' });
    const renders = {
      creation: renderCreation,
      body: { projectIds: ['p1'] },
      assets: asset ? [asset] : [],
      epoch: 0,
      purpose: 'renders',
    };
    const expired = createClient({ baseUrl: sandbox.url, apiKey: 'svc_expired_key' });
    onTestFinished(() => expired.close());
    await expect(submitOnce(renders, { ...attempt(), client: expired })).rejects.toMatchObject({
      status: 401,
    });
    const platform = await startServer();
    onTestFinished(() => platform.close());
    const jobs = [{ jobId: 'j1', projectId: 'p1' }];
    platform.respondWith((_, response) => json(response, 201, { batchId: 'b1', jobs }));
    const inThreeDays = () => Date.now() + 3 * 24 * 3_600_000;
    const next = { ...attempt(), client: clientOf(platform, { now: inThreeDays }) };
    expect(await made(renders.assets, renderCreation, next)).toEqual({});
    const { platformIds } = await submitOnce(renders, next);
    expect(platformIds).toMatchObject({ a: { jobId: 'j1' } });
  });
});

it('a call that waits for the rate limit is not sent once another attempt has taken over', async () => {
  const clock = new ManualClock();
  const budget = new RateBudget({ limit: 1, clock });
  const release = await budget.acquire();
  release();
  const waiting = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey, budget });
  onTestFinished(() => waiting.close());
  let isCurrent = true;
  const assertLease = async () => {
    if (!isCurrent) throw new Error('another attempt continues the work');
  };
  const call = submitOnce(models, { ...attempt(), client: waiting, assertLease });
  const outcome = expect(call).rejects.toThrow('another attempt');
  await vi.waitFor(() => expect(budget.snapshot().waiting.create).toBe(1));
  isCurrent = false;
  await clock.advance(60_000);
  await outcome;
  expect(await created('models')).toBe(0);
  expect(budget.snapshot()).toMatchObject({ spent: 0, inFlight: 0 });
});

describe('a call of a run that ends while the intent is being written', () => {
  /**
   * An attempt whose run is closed right before or after its intent is written. The lease was confirmed a moment ago.
   */
  function ended(when: 'before' | 'after'): NodeContext {
    let isOver = when === 'before';
    return {
      ...attempt(),
      confirmLease: async () => {
        if (isOver) throw new Error('another attempt does its work');
        isOver = true;
      },
    };
  }

  it('the call is not sent if the next run has read the calls without this intent', async () => {
    const next = attempt();
    expect(await made(three, modelCreation, next)).toEqual({});
    await expect(submitOnce(models, ended('before'))).rejects.toThrow('another attempt');
    await submitOnce({ ...models, epoch: 1 }, next);
    expect(await created('models')).toBe(3);
  });

  it('the call is found by the next run if the run ended after the intent was written', async () => {
    await expect(submitOnce(models, ended('after'))).rejects.toThrow('another attempt');
    expect(Object.keys(await made(three, modelCreation, attempt()))).toEqual(['a', 'b', 'c']);
    expect(await created('models')).toBe(3);
  });
});

describe('a call that the platform refused', () => {
  it('a call refused because of a limit succeeds once the limit is raised, although the key remembers the refusal', async () => {
    await control('limits', { models: 0 });
    await expect(submitOnce(models, attempt())).rejects.toMatchObject({
      code: 'PLAN_LIMIT_REACHED',
    });
    await expect(submitOnce(models, attempt())).rejects.toMatchObject({
      code: 'PLAN_LIMIT_REACHED',
    });
    await control('limits', { models: null });
    const { platformIds } = await submitOnce(models, attempt());
    expect(Object.keys(platformIds)).toEqual(['a', 'b', 'c']);
    expect(await created('models')).toBe(3);
  });

  it('a call that was refused and then accepted is found like any other call', async () => {
    await control('limits', { models: 0 });
    await expect(submitOnce(models, attempt())).rejects.toThrow('PLAN_LIMIT_REACHED');
    await control('limits', { models: null });
    const { platformIds } = await submitOnce(models, attempt());
    expect((await submitOnce(models, attempt())).platformIds).toEqual(platformIds);
    expect(await made(three, modelCreation, attempt())).toEqual(platformIds);
    expect(await created('models')).toBe(3);
  });

  it('a call refused because of its content does not affect later attempts', async () => {
    await expect(submitOnce(projects('nobody', 'no one'), attempt())).rejects.toMatchObject({
      status: 404,
    });
    const again = attempt();
    expect(await made(withModels, projectCreation, again)).toEqual({});
    expect(again.requests.total).toBe(0);
  });

  it('a call refused because of its content does not affect later attempts, even if a dead worker left its intent open', async () => {
    const context = attempt();
    const { body, creation } = projects('nobody');
    const log = context.store.intents(context.shard, context.step.id);
    await log.open({
      operation: creation.operation,
      key: 'key-of-a-dead-worker',
      bodyText: JSON.stringify(body),
      assets: ['a'],
      createdAt: new Date().toISOString(),
    });
    expect(await made(withModels, projectCreation, attempt())).toEqual({});
    expect(await made(withModels, projectCreation, attempt())).toEqual({});
  });

  it('a call refused because of its API key is sent once by an attempt with the right key', async () => {
    const options = { baseUrl: sandbox.url, budget: new RateBudget() };
    const stranger = createClient({ ...options, apiKey: 'svc_wrong_key' });
    const denied = submitOnce(models, { ...attempt(), client: stranger });
    await expect(denied).rejects.toMatchObject({ status: 401 });
    await stranger.close();
    const { platformIds } = await submitOnce(models, attempt());
    expect(await made(three, modelCreation, attempt())).toEqual(platformIds);
    expect(Object.keys(platformIds)).toEqual(['a', 'b', 'c']);
    expect(await created('models')).toBe(3);
  });
});
