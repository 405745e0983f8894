// The API key and the plan.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readyModel } from '../_flows.ts';
import { startMs, TestSandbox } from '../_test-sandbox.ts';

let sandbox: TestSandbox;
beforeEach(() => {
  sandbox = new TestSandbox();
});
afterEach(() => sandbox.sandbox.close());

const iso = (ms: number) => new Date(ms).toISOString();

describe('GET /me', () => {
  test('GET /me returns the workspace and the key', async () => {
    expect((await sandbox.call('GET /me')).body).toEqual({
      workspace: {
        id: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
        name: 'Sandbox',
      },
      apiKey: { name: 'sandbox', expiresAt: null },
    });
  });

  test('GET /me works with a key without a name, until the key expires', async () => {
    const expiresAt = iso(startMs + 10_000);
    await sandbox.control('/access', { name: null, expiresAt });
    sandbox.advance(9.999);
    expect((await sandbox.call('GET /me')).body).toMatchObject({
      apiKey: { name: null, expiresAt },
    });
    sandbox.advance(0.001);
    for (const route of ['GET /me', 'POST /models', 'GET /nothing']) {
      expect(await sandbox.call(route), route).toMatchObject({
        status: 401,
        body: { error: { code: 'INVALID_API_KEY', message: expect.stringContaining(expiresAt) } },
      });
    }
    expect((await sandbox.request('/api/v1/openapi.json')).status).toBe(200);
  });

  test('GET /me refuses an empty key as missing', async () => {
    expect(await sandbox.call('GET /me', undefined, { 'x-api-key': '' })).toMatchObject({
      status: 401,
      body: { error: { code: 'MISSING_API_KEY' } },
    });
  });
});

describe('GET /me/usage by tier', () => {
  const usage = async () => (await sandbox.call('GET /me/usage')).body;
  const count = expect.any(Number);

  test('the tier enterprise has no limits', async () => {
    await readyModel(sandbox);
    expect(await usage()).toEqual({
      tier: 'enterprise',
      projects: { used: 0, limit: null },
      models: { used: 1, limit: null },
      renders: { limitPerMonth: null, limitPerYear: null },
    });
  });

  test.each(['free', 'creator', 'production'] as const)('the tier %s has limits', async (tier) => {
    const limited = {
      tier,
      projects: { used: 0, limit: count },
      models: { used: 0, limit: count },
      renders: { limitPerMonth: count, limitPerYear: count },
    };
    await sandbox.control('/limits', { tier });
    expect(await usage()).toEqual(limited);
    await sandbox.sandbox.close();
    sandbox = new TestSandbox({ tier });
    expect(await usage()).toEqual(limited);
  });

  test('the tier free refuses models over the limit', async () => {
    await sandbox.control('/limits', { tier: 'free' });
    const models = Array.from({ length: 11 }, () => ({ fileType: 'glb' }));
    expect(await sandbox.call('POST /models', { models })).toMatchObject({
      status: 403,
      body: { error: { code: 'PLAN_LIMIT_REACHED' } },
    });
    expect((await sandbox.call('POST /models', { models: models.slice(1) })).status).toBe(201);
  });

  test('values given with a tier override it, and a reset restores the tier from the start', async () => {
    await sandbox.control('/limits', { tier: 'free', models: 3 });
    expect(await usage()).toMatchObject({ tier: 'free', models: { limit: 3 } });
    await sandbox.control('/reset', {});
    expect(await usage()).toMatchObject({ tier: 'enterprise', models: { limit: null } });
  });
});
