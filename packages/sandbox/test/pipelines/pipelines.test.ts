// The platform's own pipelines: what can be stored, and the response bodies.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { TestSandbox } from '../_test-sandbox.ts';

let sandbox: TestSandbox;
beforeEach(() => {
  sandbox = new TestSandbox();
});
afterEach(() => sandbox.sandbox.close());

const poll = { type: 'connector_poll', enabled: true };
const render = { type: 'render', enabled: true, config: { templateId: 'tpl-hero-dark' } };

interface Detail {
  id: string;
  nodes: { id: string; type: string; enabled: boolean }[];
}

async function made(body: object = {}): Promise<string> {
  const answer = await sandbox.call<{ id: string }>('POST /pipelines', {
    name: 'shoes',
    nodes: [poll, render],
    ...body,
  });
  expect(answer.status).toBe(201);
  return answer.body.id;
}

const read = async (id: string) => (await sandbox.call<Detail>(`GET /pipelines/${id}`)).body;

describe('creating and reading', () => {
  test('creating a pipeline returns the documented fields, and nodes without ids', async () => {
    const { body } = await sandbox.call('POST /pipelines', {
      name: 'shoes',
      nodes: [poll, render],
      batchSize: 100,
      maxRetries: 0,
    });
    expect(body).toEqual({
      id: expect.any(String),
      name: 'shoes',
      status: 'ACTIVE',
      nodes: [poll, { type: 'render', enabled: true }],
      batchSize: 100,
      maxRetries: 0,
    });
  });

  test('reading a pipeline returns node ids, and counts by render job status', async () => {
    const detail = await read(await made());
    expect(detail).toMatchObject({
      name: 'shoes',
      status: 'ACTIVE',
      nodes: [
        { id: expect.any(String), ...poll },
        { type: 'render', enabled: true },
      ],
      batchSize: 10,
      maxRetries: 3,
      consecutiveFailures: 0,
      jobStats: { QUEUED: 0, COMPLETED: 0, FAILED: 0, CANCELLED: 0 },
    });
    expect(detail.nodes[0]).not.toHaveProperty('config');
  });

  test('an item of the list contains the documented fields', async () => {
    const id = await made();
    const { body } = await sandbox.call('GET /pipelines');
    expect(body).toEqual({
      pipelines: [
        {
          id,
          name: 'shoes',
          status: 'ACTIVE',
          nodes: [poll, { type: 'render', enabled: true }],
          consecutiveFailures: 0,
          createdAt: expect.stringMatching(/Z$/),
        },
      ],
    });
  });

  test('a new pipeline has no jobs', async () => {
    expect((await sandbox.call(`GET /pipelines/${await made()}/jobs`)).body).toEqual({
      jobs: [],
      total: 0,
      limit: 50,
      offset: 0,
    });
  });

  test('the list of connectors is empty by default', async () => {
    expect((await sandbox.call('GET /pipelines/connectors')).body).toEqual({ connectors: [] });
  });
});

describe('refused requests', () => {
  test.each([
    [{ name: '' }, /name/],
    [{ nodes: [{ type: 'renderr', enabled: true }] }, /nodes\[0\]\.type/],
  ])('a request to create a pipeline with %j is refused', async (body, message) => {
    const answer = await sandbox.call('POST /pipelines', {
      name: 'shoes',
      nodes: [poll],
      ...body,
    });
    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'VALIDATION_ERROR' } } });
    expect(answer.text).toMatch(message);
    expect((await sandbox.call('GET /pipelines')).body).toEqual({ pipelines: [] });
  });

  const a = { ...poll, id: 'a' };
  test.each([
    [{ nodes: [] }, /nodes/],
    [{ nodes: [a, a] }, /nodes\[1\]\.id: a is used twice/],
    [{ nodes: [{ ...a, parentIds: ['b'] }] }, /nodes\[0\]\.parentIds: this pipeline has no node b/],
    [{ nodes: [{ ...a, parentIds: ['a'] }] }, /cycle/],
    [
      {
        nodes: [
          { ...a, parentIds: ['c'] },
          { ...render, id: 'b', parentIds: ['a'] },
          { ...render, id: 'c', parentIds: ['b'] },
        ],
      },
      /a cycle contains or precedes a, b, c/,
    ],
  ])('a request to update a pipeline with %j is refused', async (body, message) => {
    const id = await made();
    const before = await read(id);
    const answer = await sandbox.call(`PATCH /pipelines/${id}`, body);
    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'VALIDATION_ERROR' } } });
    expect(answer.text).toMatch(message);
    expect(await read(id)).toEqual(before);
  });

  test.each(['GET /pipelines/none', 'GET /pipelines/none/jobs'])(
    'the request %s for an unknown pipeline is refused',
    async (route) => {
      expect(await sandbox.call(route)).toMatchObject({
        status: 404,
        body: { error: { code: 'NOT_FOUND' } },
      });
    },
  );

  test('all requests are refused if the plan is not the enterprise plan', async () => {
    const id = await made();
    await sandbox.control('/limits', { tier: 'production' });
    const routes: [string, object?][] = [
      ['GET /pipelines'],
      ['GET /pipelines/connectors'],
      [`GET /pipelines/${id}`],
      [`GET /pipelines/${id}/jobs`],
      [`PATCH /pipelines/${id}`, {}],
      ['POST /pipelines', { name: 'b', nodes: [poll] }],
    ];
    for (const [route, body] of routes) {
      expect(await sandbox.call(route, body), route).toMatchObject({
        status: 403,
        body: { error: { code: 'PLAN_LIMIT_REACHED' } },
      });
    }
  });
});

describe('update', () => {
  test('an update changes the given fields, and returns the documented ones', async () => {
    const id = await made();
    sandbox.advance(5);
    const body = { name: 'boots', status: 'PAUSED', batchSize: 1, maxRetries: 10 };
    expect((await sandbox.call(`PATCH /pipelines/${id}`, body)).body).toEqual({
      id,
      ...body,
      consecutiveFailures: 0,
    });
    expect((await sandbox.call(`PATCH /pipelines/${id}`, { status: 'ERROR' })).body).toMatchObject({
      name: 'boots',
      status: 'ERROR',
    });
    const detail = await read(id);
    expect(detail).toMatchObject({ name: 'boots', status: 'ERROR', batchSize: 1 });
  });

  test('an update keeps the ids of new nodes', async () => {
    const id = await made();
    const [first] = (await read(id)).nodes;
    const nodes = [
      { ...poll, id: first?.id },
      { ...render, id: 'last', enabled: false, parentIds: [first?.id] },
      { type: 'export', enabled: true },
    ];
    await sandbox.call(`PATCH /pipelines/${id}`, { nodes });
    expect((await read(id)).nodes).toEqual([
      { ...poll, id: first?.id },
      { id: 'last', type: 'render', enabled: false },
      { id: expect.any(String), type: 'export', enabled: true },
    ]);
  });
});
