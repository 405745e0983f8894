// API keys, the rate limit, the controls and the page.

import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { RateLimit } from '../../src/http/rate-limit.ts';
import { SandboxOptionError } from '../../src/options.ts';
import { createSandboxApp } from '../../src/server/app.ts';
import { createProject, finishRender, readyModel, startRender, uploadedModel } from '../_flows.ts';
import { startMs, TestSandbox } from '../_test-sandbox.ts';

let sandbox: TestSandbox;
beforeEach(() => {
  sandbox = new TestSandbox();
});
afterEach(() => sandbox.sandbox.close());

describe('the key', () => {
  test('the key has the documented form', () => {
    expect(sandbox.apiKey).toMatch(/^svc_[0-9a-f]+_[0-9a-f]+$/);
  });

  test('a control can deny the key and allow it again', async () => {
    await sandbox.control('/access', { deny: 'GEO_RESTRICTED' });
    expect((await sandbox.call('GET /me')).status).toBe(403);
    await sandbox.control('/access', { deny: null });
    expect((await sandbox.call('GET /me')).status).toBe(200);
  });

  test('the key is also required for unknown paths', async () => {
    const bare = await sandbox.request('/api/v1/nothing');
    expect(bare.status).toBe(401);
    expect((await sandbox.request('/nothing')).status).toBe(404);
  });

  test.each(['PUT /models', 'DELETE /models', 'GET /models/a/confirm', 'PATCH /renders'])(
    'a method that no operation has (%s) is not found',
    async (route) => {
      expect(await sandbox.call(route)).toMatchObject({
        status: 404,
        body: { error: { code: 'NOT_FOUND' } },
      });
    },
  );
});

describe('the envelope', () => {
  test.each([
    ['GET', '/api/v1'],
    ['GET', '/api/v1/'],
    ['GET', '/api/v1/models/'],
    ['GET', '/api/v1/models/%'],
    ['GET', '/api/v1/models/%E0%A4%A'],
    ['POST', '/api/v1/models/a/b/c/d'],
    ['OPTIONS', '/api/v1/models'],
    ['PROPFIND', '/api/v1/models'],
    ['GET', '/api/v2/models'],
    ['GET', '/storage'],
    ['DELETE', '/_sandbox/stats'],
  ])('the request %s %s gets 404 with a code and a message', async (method, path) => {
    const headers = { 'x-api-key': sandbox.apiKey };
    const response = await sandbox.request(path, { method, headers });
    expect(response.status).toBe(404);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(await response.json()).toEqual({
      error: { code: expect.stringMatching(/NOT_FOUND$/), message: expect.stringMatching(/.+/) },
    });
  });
});

describe('the rate limit (platform.md, section 8)', () => {
  test('requests over the limit are refused with 429 and four headers, until the window ends', async () => {
    await sandbox.sandbox.close();
    sandbox = new TestSandbox({ rateLimit: 3 });
    for (let request = 0; request < 3; request += 1) {
      const answer = await sandbox.call('GET /me');
      expect(answer.status).toBe(200);
      expect(answer.headers.get('x-ratelimit-limit')).toBeNull();
    }
    sandbox.advance(20.5);
    const refused = await sandbox.call('GET /me');
    expect(refused).toMatchObject({ status: 429, body: { error: { code: 'RATE_LIMITED' } } });
    expect(Object.fromEntries(refused.headers)).toMatchObject({
      'x-ratelimit-limit': '3',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': String(startMs / 1000 + 60),
      'retry-after': '40',
    });
    sandbox.advance(39.4);
    expect((await sandbox.call('GET /me')).status).toBe(429);
    sandbox.advance(0.1);
    expect((await sandbox.call('GET /me')).status).toBe(200);
    expect(await sandbox.control('/stats')).toMatchObject({
      rateLimited: 2,
      requests: { getMe: 6 },
    });
    expect(await sandbox.control('/stats/summary')).toMatchObject({
      totalRequests: 6,
      windows: [
        { openedAt: startMs, used: 3, refused: 2 },
        { openedAt: expect.any(Number), used: 1, refused: 0 },
      ],
    });
    await sandbox.control('/reset', {});
    expect(await sandbox.control('/stats/summary')).toMatchObject({ windows: [] });
  });

  test('requests with refused keys do not count, but requests for unknown paths and invalid requests do', async () => {
    await sandbox.sandbox.close();
    sandbox = new TestSandbox({ rateLimit: 2 });
    for (let request = 0; request < 5; request += 1) {
      expect((await sandbox.call('GET /me', undefined, { 'x-api-key': 'no' })).status).toBe(401);
    }
    expect((await sandbox.call('GET /nothing')).status).toBe(404);
    expect((await sandbox.call('POST /models', {})).status).toBe(400);
    expect((await sandbox.call('GET /me')).status).toBe(429);
  });

  test('a window never allows more requests than the limit', () => {
    const arrivals = fc.array(fc.integer({ min: 0, max: 40_000 }), { maxLength: 200 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10 }), arrivals, (limit, gapsMs) => {
        const rateLimit = new RateLimit(limit, 60);
        let now = startMs;
        let windowEnd = 0;
        let taken = 0;
        for (const gapMs of gapsMs) {
          now += gapMs;
          if (now >= windowEnd) {
            windowEnd = now + 60_000;
            taken = 0;
          }
          const refusal = rateLimit.take(now);
          if (!refusal) taken += 1;
          expect(refusal === undefined || taken === limit).toBe(true);
          expect(taken).toBeLessThanOrEqual(limit);
          if (refusal)
            expect(now + refusal.retryAfterSeconds * 1000).toBeGreaterThanOrEqual(windowEnd);
        }
      }),
    );
  });
});

describe('a request body', () => {
  test.each([
    ['text/plain', '{"modelIds":["a"]}'],
    ['multipart/form-data', '--x'],
  ])('a request body of the type %s is refused', async (type, body) => {
    const answer = await sandbox.call('POST /models/status', body, { 'content-type': type });
    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'VALIDATION_ERROR' } } });
  });

  test.each(['application/json', 'application/json; charset=utf-8', 'application/problem+json'])(
    'a request body of the type %s is read',
    async (type) => {
      const body = '{"modelIds":["a"]}';
      const answer = await sandbox.call('POST /models/status', body, { 'content-type': type });
      expect(answer.status).toBe(200);
    },
  );

  test('a request body over 4 MB is refused', async () => {
    const body = JSON.stringify({ modelIds: ['x'.repeat(4 * 1024 * 1024)] });
    const answer = await sandbox.call('POST /models/status', body);
    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'VALIDATION_ERROR' } } });
  });

  test('an endless request body is refused before it is read completely', async () => {
    let sent = 0;
    const endless = new ReadableStream({
      pull(controller) {
        sent += 1;
        // Longer than a test would wait if the body were read to its end.
        if (sent > 2_000) controller.close();
        else controller.enqueue(new Uint8Array(256 * 1024));
      },
    });
    const init: RequestInit & { duplex: 'half' } = {
      method: 'POST',
      headers: { 'x-api-key': sandbox.apiKey, 'content-type': 'application/json' },
      body: endless,
      duplex: 'half',
    };
    expect((await sandbox.request('/api/v1/models/status', init)).status).toBe(400);
    expect(sent).toBeLessThan(300);
  });

  test('a request body that is not UTF-8 is refused', async () => {
    const response = await sandbox.request('/api/v1/models/status', {
      method: 'POST',
      headers: { 'x-api-key': sandbox.apiKey, 'content-type': 'application/json' },
      body: Buffer.from([0x22, 0xff, 0x22]),
    });
    expect(response.status).toBe(400);
  });
});

describe('/_sandbox', () => {
  test('stats count requests and created resources, and contain the time when a model was first read as ready', async () => {
    const modelId = await uploadedModel(sandbox, 'chair.glb');
    await uploadedModel(sandbox, 'chair.glb');
    sandbox.advance(60);
    await sandbox.call('POST /models/status', { modelIds: [modelId] });
    sandbox.advance(60);
    await sandbox.call('POST /models/status', { modelIds: [modelId] });
    const stats = await sandbox.control<{ readiness: { readyAt: number; firstSeenAt: number }[] }>(
      '/stats',
    );
    expect(stats).toMatchObject({
      requests: { createModels: 2, confirmModel: 2, checkModelStatus: 2 },
      created: { models: 2, projects: 0 },
      fileNames: { 'chair.glb': 2 },
      readiness: [{ kind: 'model', id: modelId, firstSeenAt: startMs + 60_000 }],
    });
    const [seen] = stats.readiness;
    expect((seen?.readyAt ?? 0) - startMs).toBeGreaterThanOrEqual(2000);
    expect((seen?.readyAt ?? 0) - startMs).toBeLessThanOrEqual(6000);
    expect(await sandbox.control('/stats/summary')).toEqual({
      requests: { createModels: 2, confirmModel: 2, checkModelStatus: 2 },
      totalRequests: 6,
      rateLimited: 0,
      created: { models: 2, projects: 0, renderJobs: 0, jobs: 0 },
      seenReady: 1,
      windows: expect.any(Array),
    });
    const p95Ms = Math.round(startMs + 60_000 - (seen?.readyAt ?? 0));
    expect(await sandbox.control('/stats/noticed')).toEqual({ p95Ms });
  });

  test('reset deletes everything but the key', async () => {
    const modelId = await readyModel(sandbox);
    const projectId = await createProject(sandbox, [modelId]);
    await finishRender(sandbox, (await startRender(sandbox, [projectId])).jobId);
    await sandbox.control('/limits', { models: 1 });
    await sandbox.control('/reset', {});
    for (const list of ['/models', '/projects', '/renders']) {
      expect((await sandbox.call(`GET ${list}`)).body).toMatchObject({ total: 0 });
    }
    expect((await sandbox.call('GET /me/usage')).body).toMatchObject({ models: { limit: null } });
    expect(await readyModel(sandbox)).not.toBe(modelId);
  });

  test.each([
    ['/limits', { tier: 'gold' }],
    ['/limits', { speed: 1 }],
    ['/access', { deny: 'RATE_LIMITED' }],
    ['/faults', [{ match: 'getMe', do: {} }]],
    ['/templates', { name: 'none', bookmarks: [] }],
    ['/models/none/status', { status: 'READY' }],
  ])('the control %s with %j is refused', async (path, body) => {
    expect(await sandbox.control(path, body)).toHaveProperty('error');
  });

  test('requests from pages of other sites are refused', async () => {
    const response = await sandbox.request('/_sandbox/reset', {
      method: 'POST',
      headers: { origin: 'https://evil.example' },
    });
    expect(response.status).toBe(403);
  });
});

test.each([
  { speed: 0 },
  { speed: Number.NaN },
  { rateLimit: -1 },
  { rateLimit: 1.5 },
  { pictureScale: 2 },
  { windowSeconds: 0 },
  { drawThreads: 0 },
])('the option %j is refused', (options) => {
  expect(() => createSandboxApp(options)).toThrow(SandboxOptionError);
});
