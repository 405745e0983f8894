// Idempotency keys: which responses are stored, and for how long.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { splitRoute } from '../../../../src/api/contract/operation.ts';
import { routeOf, servedIds } from '../../src/http/routes.ts';
import { createModel } from '../_flows.ts';
import { TestSandbox, triangleGlb } from '../_test-sandbox.ts';

let sandbox: TestSandbox;
beforeEach(() => {
  sandbox = new TestSandbox();
});
afterEach(() => sandbox.sandbox.close());

const key = { 'idempotency-key': 'key-1' };
const models = { models: [{ fileType: 'glb', fileName: 'a.glb' }] };
const total = async () => (await sandbox.call<{ total: number }>('GET /models')).body.total;

describe('repeated requests with an Idempotency-Key', () => {
  test('a repeat gets the first response for 24 hours, even if its links have expired', async () => {
    const first = await sandbox.call<{ models: [{ uploadUrl: string }] }>(
      'POST /models',
      models,
      key,
    );
    sandbox.advance(24 * 3600 - 1);
    const again = await sandbox.call('POST /models', models, key);
    expect([again.status, again.text]).toEqual([201, first.text]);
    const { uploadUrl } = first.body.models[0];
    expect((await sandbox.put(uploadUrl, triangleGlb())).status).toBe(403);
    expect(await total()).toBe(1);
    sandbox.advance(1);
    expect((await sandbox.call('POST /models', models, key)).text).not.toBe(first.text);
    expect(await total()).toBe(2);
  });

  test('a repeated confirmation gets the first response', async () => {
    const { modelId, uploadUrl } = await createModel(sandbox);
    await sandbox.put(uploadUrl, triangleGlb());
    const route = `POST /models/${modelId}/confirm`;
    const first = await sandbox.call(route, { fileType: 'glb' }, key);
    sandbox.advance(6);
    expect((await sandbox.call(route, { fileType: 'glb' }, key)).text).toBe(first.text);
  });

  test('a repeat of a refused request gets the refusal again', async () => {
    const { modelId, uploadUrl } = await createModel(sandbox);
    const route = `POST /models/${modelId}/confirm`;
    const first = await sandbox.call(route, { fileType: 'glb' }, key);
    expect(first.body).toMatchObject({ error: { code: 'FILE_NOT_UPLOADED' } });
    await sandbox.put(uploadUrl, triangleGlb());
    expect((await sandbox.call(route, { fileType: 'glb' }, key)).text).toBe(first.text);
    expect((await sandbox.call(route, { fileType: 'glb' })).status).toBe(200);
  });

  test('repeats are counted in the stats', async () => {
    await sandbox.call('POST /models', models, key);
    await sandbox.call('POST /models', models, key);
    expect(await sandbox.control('/stats')).toMatchObject({
      replayed: 1,
      requests: { createModels: 2 },
      created: { models: 1 },
    });
  });
});

describe('every POST of the contract', () => {
  const posts = servedIds
    .map((id) => [id, splitRoute(routeOf(id))] as const)
    .filter(([, { method }]) => method === 'POST')
    .map(([id, { path }]) => [id, path.replace(/\{\w+\}/g, 'none')] as const);

  test.each(posts)(
    'the operation %s repeats its response for a used key, but refuses the key with another body or path',
    async (_, path) => {
      const first = await sandbox.call(`POST ${path}`, {}, key);
      const again = await sandbox.call(`POST ${path}`, {}, key);
      expect([again.status, again.text]).toEqual([first.status, first.text]);
      expect(await sandbox.control('/stats')).toMatchObject({ replayed: 1 });
      const reused = { status: 422, body: { error: { code: 'IDEMPOTENCY_KEY_REUSED' } } };
      expect(await sandbox.call(`POST ${path}`, { other: 1 }, key)).toMatchObject(reused);
      const elsewhere = path === '/models' ? '/projects' : '/models';
      expect(await sandbox.call(`POST ${elsewhere}`, {}, key)).toMatchObject(reused);
    },
  );
});

describe('server errors with an Idempotency-Key', () => {
  test('a repeat does the work if the error occurred before the work', async () => {
    await sandbox.control('/faults', [{ match: 'createModels', nth: 1, do: { status: 503 } }]);
    expect((await sandbox.call('POST /models', models, key)).status).toBe(503);
    expect((await sandbox.call('POST /models', models, key)).status).toBe(201);
    expect(await total()).toBe(1);
  });

  test('a repeat does the work a second time if the error occurred after the work', async () => {
    await sandbox.control('/faults', [
      { match: 'createModels', nth: 1, do: { commitThenStatus: 500 } },
    ]);
    expect((await sandbox.call('POST /models', models, key)).status).toBe(500);
    expect((await sandbox.call('POST /models', models, key)).status).toBe(201);
    expect(await total()).toBe(2);
  });

  test('a 429 response is not stored', async () => {
    await sandbox.control('/faults', [
      { match: 'createModels', nth: 1, do: { rateLimited: true } },
    ]);
    expect((await sandbox.call('POST /models', models, key)).status).toBe(429);
    expect((await sandbox.call('POST /models', models, key)).status).toBe(201);
  });
});

describe('conflicts', () => {
  test('a duplicate of a request in flight gets 409, and a different body gets 422', async () => {
    await sandbox.control('/faults', [{ match: 'createModels', nth: 1, do: { delayMs: 90 } }]);
    const first = sandbox.call('POST /models', models, key);
    // The work is done, and its response is delayed.
    await vi.waitUntil(async () => (await total()) === 1, { interval: 1 });
    const [again, other] = await Promise.all([
      sandbox.call('POST /models', models, key),
      sandbox.call('POST /models', { models: [{ fileType: 'obj' }] }, key),
    ]);
    expect(again).toMatchObject({ status: 409, body: { error: { code: 'IDEMPOTENCY_CONFLICT' } } });
    expect(other).toMatchObject({
      status: 422,
      body: { error: { code: 'IDEMPOTENCY_KEY_REUSED' } },
    });
    const { text } = await first;
    expect((await sandbox.call('POST /models', models, key)).text).toBe(text);
    expect(await total()).toBe(1);
  });

  test('an empty key is refused', async () => {
    const answer = await sandbox.call('POST /models', models, { 'idempotency-key': '' });
    expect(answer.status).toBe(400);
  });
});
