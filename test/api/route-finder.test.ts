import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { OperationUnresolvedError } from '../../src/api/errors/route-errors.ts';
import { clientOf, errorOf, json, startServer, type TestServer } from './_server.ts';

let server: TestServer;
let document: unknown;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());
beforeEach(() => {
  server.received.length = 0;
  document = { openapi: '3.1.0', paths: {} };
  server.respondWith(({ url }, response) =>
    url === '/api/v1/openapi.json'
      ? json(response, 200, document)
      : json(response, 200, { templateId: 't1', name: 'Studio' }),
  );
});

const params = { templateId: 't1' };
const templateSchema = {
  type: 'object',
  properties: { templateId: { type: 'string' }, name: { type: 'string' } },
};

function answering(schema: unknown, extra: object = {}) {
  return { ...extra, responses: { 200: { content: { 'application/json': { schema } } } } };
}

function described(paths: object) {
  return { openapi: '3.1.0', paths, components: { schemas: { Template: templateSchema } } };
}

function asked(): string[] {
  return server.received.map(({ method, url }) => `${method} ${url}`);
}

describe('the route of an operation whose path the reference does not show', () => {
  it('the route is found by its operation id', async () => {
    document = described({
      '/looks/{lookId}': { get: answering({}, { operationId: 'getTemplate' }) },
    });
    const output = await clientOf(server).getTemplate({ params });
    expect(output.templateId).toBe('t1');
    expect(asked()).toEqual(['GET /api/v1/openapi.json', 'GET /api/v1/looks/t1']);
  });

  it.each([
    ['inline', templateSchema],
    ['behind a reference', { $ref: '#/components/schemas/Template' }],
    ['combined by allOf', { allOf: [{ $ref: '#/components/schemas/Template' }] }],
  ])('the route is found by a response schema that is %s', async (_, schema) => {
    document = described({ '/templates/{id}': { get: answering(schema) } });
    await clientOf(server).getTemplate({ params });
    expect(asked()[1]).toBe('GET /api/v1/templates/t1');
  });

  it('the route is found in schemas that contain each other', async () => {
    const parts = Array.from({ length: 50 }, (_, at) => `S${at}`);
    const all = { allOf: parts.map((name) => ({ $ref: `#/components/schemas/${name}` })) };
    document = {
      openapi: '3.1.0',
      paths: { '/templates/{id}': { get: answering({ $ref: '#/components/schemas/S0' }) } },
      components: {
        schemas: {
          ...Object.fromEntries(parts.map((name) => [name, all])),
          S49: { ...all, ...templateSchema },
        },
      },
    };
    await clientOf(server).getTemplate({ params });
    expect(asked()[1]).toBe('GET /api/v1/templates/t1');
  });

  it('the route is not matched with the path of a known operation', async () => {
    document = described({ '/models/{anyName}': { get: answering(templateSchema) } });
    expect(await errorOf(clientOf(server).getTemplate({ params }))).toBeInstanceOf(
      OperationUnresolvedError,
    );
  });

  it('the route is not guessed if two paths match', async () => {
    document = described({
      '/looks/{id}': { get: answering(templateSchema) },
      '/moods/{id}': { get: answering(templateSchema) },
    });
    expect(await errorOf(clientOf(server).getTemplate({ params }))).toBeInstanceOf(
      OperationUnresolvedError,
    );
  });

  it('the route is not matched with a write that has the same response', async () => {
    document = described({ '/looks/{id}': { post: answering(templateSchema) } });
    expect(await errorOf(clientOf(server).getTemplate({ params }))).toBeInstanceOf(
      OperationUnresolvedError,
    );
  });

  it('the route is taken from the configuration without reading the API description', async () => {
    document = described({ '/templates/{id}': { get: answering(templateSchema) } });
    const client = clientOf(server, { operations: { getTemplate: 'GET /v2/looks/{templateId}' } });
    await client.getTemplate({ params });
    expect(asked()).toEqual(['GET /api/v1/v2/looks/t1']);
  });

  it('the route is searched for only once', async () => {
    document = described({ '/templates/{id}': { get: answering(templateSchema) } });
    const client = clientOf(server);
    await Promise.all([client.getTemplate({ params }), client.getTemplate({ params })]);
    await client.getTemplate({ params });
    expect(asked().filter((line) => line.endsWith('openapi.json'))).toHaveLength(1);
  });

  it('the route is searched for again if the API description could not be fetched', async () => {
    server.respondWith((_, response) => json(response, 503, {}));
    const client = clientOf(server);
    expect(await errorOf(client.getTemplate({ params }))).toMatchObject({ status: 503 });
    document = described({ '/templates/{id}': { get: answering(templateSchema) } });
    server.respondWith(({ url }, response) =>
      json(response, 200, url.endsWith('openapi.json') ? document : { templateId: 't1' }),
    );
    expect((await client.getTemplate({ params })).templateId).toBe('t1');
  });

  it('a route that is not found causes an error with the lines to add', async () => {
    const error = await errorOf(clientOf(server).getTemplate({ params }));
    expect(error.message).toContain('operation "getTemplate" has no path');
    expect(error.message).toContain("operations:\n  getTemplate: 'GET /templates/{templateId}'");
  });

  it.each([
    ['a document without paths', { openapi: '3.1.0' }],
    ['paths of the wrong kind', { openapi: '3.1.0', paths: ['x', null] }],
    [
      'a reference to itself',
      described({
        '/a/{id}': {
          get: answering({
            $ref: '#/paths/~1a~1{id}/get/responses/200/content/application~1json/schema',
          }),
        },
      }),
    ],
    [
      'a reference without a target',
      described({ '/a/{id}': { get: answering({ $ref: '#/no/where' }) } }),
    ],
    [
      'a part that contains itself',
      {
        openapi: '3.1.0',
        components: { schemas: { A: { allOf: [{ $ref: '#/components/schemas/A' }] } } },
        paths: { '/a/{id}': { get: answering({ $ref: '#/components/schemas/A' }) } },
      },
    ],
  ])('the route is unresolved for %s', async (_, strange) => {
    document = strange;
    expect(await errorOf(clientOf(server).getTemplate({ params }))).toBeInstanceOf(
      OperationUnresolvedError,
    );
  });
});

describe('configured operations', () => {
  it.each(['/looks/{id}', 'FETCH /looks', 'GET looks', 'GET /looks?x=1', 'GET https://evil/x'])(
    'an operation may not have the route %j, and the error contains the field',
    (route) => {
      expect(() => clientOf(server, { operations: { getTemplate: route } })).toThrow(
        'operations.getTemplate',
      );
    },
  );

  it('configured operations do not replace a path that the reference shows', async () => {
    const client = clientOf(server, { operations: { getMe: 'GET /whoami' } });
    await errorOf(client.getMe());
    expect(asked()).toEqual(['GET /api/v1/me']);
  });

  it('operations of one caller do not affect another, although both share the budget and the counter', async () => {
    document = described({
      '/looks/{id}': { get: answering({}, { operationId: 'getTemplate' }) },
    });
    const worker = clientOf(server);
    const first = worker.withOperations({ getTemplate: 'GET /one/{templateId}' });
    const second = worker.withOperations({ getTemplate: 'GET /two/{templateId}' });
    await first.getTemplate({ params });
    await second.getTemplate({ params });
    await worker.getTemplate({ params });
    expect(asked()).toEqual([
      'GET /api/v1/one/t1',
      'GET /api/v1/two/t1',
      'GET /api/v1/openapi.json',
      'GET /api/v1/looks/t1',
    ]);
    expect([first.budget, second.budget]).toEqual([worker.budget, worker.budget]);
    expect(worker.counter.byOperation).toMatchObject({ getTemplate: 3 });
  });

  it('operations of one caller override those of the configuration, which still apply to other callers', async () => {
    const worker = clientOf(server, { operations: { getTemplate: 'GET /ours/{templateId}' } });
    await worker
      .withOperations({ getTemplate: 'GET /theirs/{templateId}' })
      .getTemplate({ params });
    await worker.withOperations({}).getTemplate({ params });
    expect(asked()).toEqual(['GET /api/v1/theirs/t1', 'GET /api/v1/ours/t1']);
  });

  it('routes of configured operations can be read without a call', async () => {
    const client = clientOf(server);
    expect(await client.route('createModels')).toBe('POST /models');
    expect(await errorOf(client.route('getTemplate'))).toBeInstanceOf(OperationUnresolvedError);
  });
});
