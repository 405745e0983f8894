import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createClient } from '../../src/api/client.ts';
import { RequestShapeError, ResponseShapeError } from '../../src/api/errors/errors.ts';
import { UnknownOperationError } from '../../src/api/errors/route-errors.ts';
import { operations } from '../../src/api/operations/index.ts';
import { RequestCounter } from '../../src/api/request-counter.ts';
import type { ResponseAnomaly } from '../../src/api/responses/anomalies.ts';
import { clientOf, errorOf, json, me, startServer, type TestServer, testKey } from './_server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());
beforeEach(() => {
  server.received.length = 0;
  server.respondWith((_, response) => json(response, 200, me));
});

const created = {
  models: [{ modelId: 'm1', name: 'shoe', uploadUrl: 'https://store/x', uploadKey: 'k' }],
};

describe('a call', () => {
  it('a call sends the key in the X-API-Key header and nowhere else', async () => {
    await clientOf(server).getMe();
    const [request] = server.received;
    expect(request).toMatchObject({ method: 'GET', url: '/api/v1/me', body: '' });
    expect(request?.headers['x-api-key']).toBe(testKey);
    expect(JSON.stringify({ ...request?.headers, 'x-api-key': '' })).not.toContain(testKey);
  });

  it('a call for the API description sends no key', async () => {
    server.respondWith((_, response) => json(response, 200, { openapi: '3.1.0' }));
    await clientOf(server).getOpenapi();
    expect(server.received[0]?.headers['x-api-key']).toBeUndefined();
  });

  it('a call escapes path parameters and drops undefined query fields', async () => {
    server.respondWith((_, response) =>
      json(response, 200, { models: [], total: 0, limit: 10, offset: 0 }),
    );
    const client = clientOf(server);
    await client.listModels({ query: { limit: 10, status: undefined, name: 'a&b ü' } });
    await errorOf(client.getModel({ params: { modelId: 'a/../b?c' } }));
    expect(server.received.map(({ url }) => url)).toEqual([
      '/api/v1/models?limit=10&name=a%26b+%C3%BC',
      '/api/v1/models/a%2F..%2Fb%3Fc',
    ]);
  });

  it.each(['', '.', '..'])(
    'a call refuses %j as a path parameter, since it would call another path',
    async (modelId) => {
      const error = await errorOf(clientOf(server).getModel({ params: { modelId } }));
      expect(error).toBeInstanceOf(RequestShapeError);
      expect(server.received).toEqual([]);
    },
  );

  it('a call sends the Idempotency-Key and a canonical body', async () => {
    server.respondWith((_, response) => json(response, 201, created));
    const body = { models: [{ name: 'shoe', fileType: 'glb' }] };
    await clientOf(server).createModels({ body }, { idempotencyKey: 'rl-1' });
    expect(server.received[0]?.headers['idempotency-key']).toBe('rl-1');
    expect(server.received[0]?.body).toBe('{"models":[{"fileType":"glb","name":"shoe"}]}');
  });

  it('a call has no Idempotency-Key if the operation accepts none', async () => {
    await clientOf(server).getMe({}, { idempotencyKey: 'rl-1' });
    expect(server.received[0]?.headers['idempotency-key']).toBeUndefined();
  });

  it('a call sends a recorded body again byte for byte', async () => {
    server.respondWith((_, response) => json(response, 201, created));
    const bodyText = '{ "models" : [ {"fileType":"glb"} ] }';
    const { output } = await clientOf(server).send('createModels', {}, { bodyText });
    expect(server.received[0]?.body).toBe(bodyText);
    expect(output).toEqual(created);
  });

  it('a call sends no body and no content type if the operation has no body', async () => {
    server.respondWith((_, response) =>
      json(response, 200, { jobId: 'j', status: 'PROCESSING', modelsConfirmed: 1 }),
    );
    await clientOf(server).confirmJobUploads({ params: { jobId: 'j' } });
    expect(server.received[0]).toMatchObject({ method: 'POST', body: '' });
    expect(server.received[0]?.headers['content-type']).toBeUndefined();
  });

  it('a call checks its input before it sends a request', async () => {
    const models = Array.from({ length: 51 }, () => ({ fileType: 'glb' }));
    const error = await errorOf(clientOf(server).createModels({ body: { models } }));
    expect(error).toMatchObject({
      name: 'RequestShapeError',
      message: expect.stringContaining('"body.models"'),
    });
    expect(server.received).toEqual([]);
  });
});

describe('the result of a call', () => {
  it('the result is the parsed output without unknown fields', async () => {
    server.respondWith((_, response) => json(response, 200, { ...me, region: 'eu' }));
    expect(await clientOf(server).getMe()).toEqual(me);
  });

  it('the result also contains the raw body, the status and the clock of the platform', async () => {
    const date = 'Sat, 21 Nov 2026 06:00:00 GMT';
    server.respondWith((_, response) =>
      json(response, 200, { ...me, region: 'eu' }, { date, 'x-request-id': 'r-7' }),
    );
    const result = await clientOf(server).callWithMeta('getMe');
    expect(result.output).toEqual(me);
    expect(result.raw).toEqual({ ...me, region: 'eu' });
    expect(result.meta).toMatchObject({
      status: 200,
      platformAtMs: Date.parse(date),
      requestId: 'r-7',
    });
  });

  it('the result is an output for any 2xx status, since the reference does not show some success statuses', async () => {
    server.respondWith((_, response) =>
      json(response, 202, { batchId: 'b', jobs: [], totalProjects: 0 }),
    );
    const output = await clientOf(server).createRenders({ body: { projectIds: ['p'] } });
    expect(output.batchId).toBe('b');
  });

  it('the result is the absolute Location of a 302, which is not followed', async () => {
    server.respondWith((_, response) =>
      response.writeHead(302, { location: '/files/1?sig=x' }).end(),
    );
    const output = await clientOf(server).downloadRender({ params: { renderId: 'r' } });
    expect(output).toEqual({ location: `${server.origin}/files/1?sig=x` });
    expect(server.received).toHaveLength(1);
  });

  it.each([
    ['a redirect instead of a body', 301, { location: 'https://evil.example/' }],
    ['a redirect without a Location', 302, {}],
  ])('the result is an error for %s', async (_, status, headers) => {
    server.respondWith((_request, response) => response.writeHead(status, headers).end());
    const client = clientOf(server);
    const call =
      status === 301 ? client.getMe() : client.downloadRender({ params: { renderId: 'r' } });
    expect(await errorOf(call)).toBeInstanceOf(ResponseShapeError);
    expect(server.received).toHaveLength(1);
  });

  it.each([
    ['a missing field', { workspace: { name: 'w1' }, apiKey: me.apiKey }, 'workspace.id'],
    ['null', { ...me, workspace: { id: null, name: 'x' } }, 'workspace.id'],
    ['an empty string', { ...me, workspace: { id: '', name: 'x' } }, 'workspace.id'],
    ['a list instead of an object', { ...me, workspace: [] }, 'workspace'],
    ['a list', [], ''],
    [
      'an error body with a success status',
      { error: { code: 'RATE_LIMITED', message: 'no' } },
      'error',
    ],
  ])('the error contains the operation and the path of %s', async (_, body, path) => {
    server.respondWith((_request, response) => json(response, 200, body));
    const error = await errorOf(clientOf(server).getMe());
    expect(error).toMatchObject({ name: 'ResponseShapeError', operation: 'getMe', path });
  });

  it('converted and ignored values are reported once, but only those of known fields', async () => {
    const told: ResponseAnomaly[] = [];
    const client = clientOf(server, { onAnomaly: (anomaly) => told.push(anomaly) });
    const odd = { ...me, workspace: { id: 7, name: null }, apiKey: { name: {} }, region: [] };
    server.respondWith((_request, response) => json(response, 200, odd));
    expect(await client.getMe()).toEqual({ workspace: { id: '7' }, apiKey: {} });
    await client.getMe();
    expect(told).toEqual([
      { operation: 'getMe', path: 'workspace.id', what: 'a number read as text' },
      {
        operation: 'getMe',
        path: 'apiKey.name',
        what: 'expected text, received an object; ignored',
      },
    ]);
  });

  it('an unreadable response is an error, which is reported too', async () => {
    const told: ResponseAnomaly[] = [];
    const client = clientOf(server, { onAnomaly: (anomaly) => told.push(anomaly) });
    server.respondWith((_request, response) => json(response, 200, {}));
    await errorOf(client.getMe());
    expect(told).toEqual([
      { operation: 'getMe', path: 'workspace', what: 'expected an object, received nothing' },
    ]);
  });

  it('a response may be empty if none of its fields is required', async () => {
    server.respondWith((_request, response) => response.writeHead(204).end());
    const client = clientOf(server);
    expect(await client.deleteModel({ params: { modelId: 'm' } })).toEqual({});
  });

  it('an error body is an error, even if no field is required', async () => {
    const body = { error: { code: 'NOT_FOUND', message: 'no such model' } };
    server.respondWith((_request, response) => json(response, 200, body));
    const error = await errorOf(clientOf(server).deleteModel({ params: { modelId: 'm' } }));
    expect(error.message).toContain('received NOT_FOUND: no such model');
  });

  it('an unknown status value is preserved', async () => {
    const job = { jobId: 'j', status: 'DREAMING', projectId: 'p' };
    server.respondWith((_, response) => json(response, 200, job));
    const output = await clientOf(server).getRenderJob({ params: { jobId: 'j' } });
    expect(output.status).toBe('DREAMING');
  });
});

describe('a call by name', () => {
  it('a call by name returns the body as received', async () => {
    server.respondWith((_, response) => json(response, 200, { ...me, region: 'eu' }));
    expect(await clientOf(server).call('getMe')).toEqual({ ...me, region: 'eu' });
  });

  it('a call by name returns a body of any shape', async () => {
    server.respondWith((_, response) => json(response, 200, ['no', { workspace: null }]));
    expect(await clientOf(server).call('getMe')).toEqual(['no', { workspace: null }]);
  });

  it('a platform error in a successful response is an error', async () => {
    const error = { code: 'PLAN_LIMIT_REACHED', message: 'full' };
    server.respondWith((_, response) => json(response, 200, { error }));
    await expect(clientOf(server).call('getMe')).rejects.toThrow(
      'expected a success, received PLAN_LIMIT_REACHED: full',
    );
  });

  it.each([
    ['getModle', 'getModel'],
    ['LISTRENDERS', 'listRenders'],
  ])('a call by name suggests the nearest name for %s', async (id, suggestion) => {
    const error = await errorOf(clientOf(server).call(id));
    expect(error).toBeInstanceOf(UnknownOperationError);
    expect(error.message).toContain(`"${suggestion}"`);
  });

  it.each(['toString', '__proto__', 'close', 'xyzzy'])(
    'a call by name fails for the unknown operation %s',
    async (id) => {
      const error = await errorOf(clientOf(server).call(id));
      expect(error).toBeInstanceOf(UnknownOperationError);
      expect(error.message).not.toContain('Did you mean');
    },
  );

  it('the client has a method for every operation', () => {
    const client: object = clientOf(server);
    const methods = Object.keys(operations).filter(
      (id) => typeof Reflect.get(client, id) === 'function',
    );
    expect(methods).toEqual(Object.keys(operations));
  });
});

describe('counting of requests', () => {
  it('requests are counted by operation, for the client and for the scope of the caller', async () => {
    const client = clientOf(server);
    const requestCounter = new RequestCounter();
    await client.getMe();
    await client.getMe({}, { requestCounter });
    server.respondWith((_, response) => json(response, 429, {}));
    await errorOf(client.getUsage({}, { requestCounter }));
    expect(client.counter.snapshot()).toEqual({
      total: 3,
      byOperation: { getMe: 2, getUsage: 1 },
      rateLimited: 1,
    });
    expect(requestCounter.take()).toEqual({
      total: 2,
      byOperation: { getMe: 1, getUsage: 1 },
      rateLimited: 1,
    });
    expect(requestCounter.total).toBe(0);
  });

  it('a call that was refused before it was sent is not counted', async () => {
    const client = clientOf(server);
    await errorOf(client.getModel({ params: { modelId: '' } }));
    expect(client.counter.total).toBe(0);
  });
});

describe('configuration of the client', () => {
  it.each([
    'not a url',
    'ftp://host/api/v1',
    'https://user:pw@host/api/v1',
    'https://host/api/v1?key=1',
  ])('the base URL %s is refused', (baseUrl) => {
    expect(() => createClient({ baseUrl, apiKey: testKey })).toThrow(TypeError);
  });

  it('a key that is invalid in a header is refused, and is not repeated in the error', () => {
    const apiKey = `${testKey}\r\nx-evil: 1`;
    expect(() => createClient({ baseUrl: 'https://host/api/v1', apiKey })).toThrow(
      expect.not.objectContaining({ message: expect.stringContaining(testKey) }),
    );
  });

  it('a base URL with a trailing slash is accepted', async () => {
    await clientOf(server, { baseUrl: `${server.origin}/api/v1/` }).getMe();
    expect(server.received[0]?.url).toBe('/api/v1/me');
  });

  it.each([
    ['http://127.0.0.1:8080/api/v1', 'any'],
    ['http://localhost:8080/api/v1', 'any'],
    ['http://[::1]/api/v1', 'any'],
    ['http://192.168.1.5/api/v1', 'any'],
    ['https://api.example.com/api/v1', 'public'],
  ])('the base URL %s allows signed URLs of %s addresses', (baseUrl, network) => {
    expect(createClient({ baseUrl, apiKey: testKey }).network).toBe(network);
  });

  it('the consistency window is two minutes, unless another is set', () => {
    const baseUrl = `${server.origin}/api/v1`;
    const usual = createClient({ baseUrl, apiKey: testKey });
    expect([usual.consistencyWindowMs, usual.urgent().consistencyWindowMs]).toEqual([
      120_000, 120_000,
    ]);
    const short = createClient({ baseUrl, apiKey: testKey, consistencyWindowMs: 5_000 });
    expect([short.consistencyWindowMs, short.withOperations({}).consistencyWindowMs]).toEqual([
      5_000, 5_000,
    ]);
  });

  it('clients of a key share one budget, and clients of different keys do not', () => {
    const baseUrl = `${server.origin}/api/v1`;
    const first = createClient({ baseUrl, apiKey: 'svc_a_b' });
    expect(createClient({ baseUrl: `${baseUrl}/`, apiKey: 'svc_a_b' }).budget).toBe(first.budget);
    expect(createClient({ baseUrl, apiKey: 'svc_a_c' }).budget).not.toBe(first.budget);
  });
});
