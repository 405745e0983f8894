// Polls of many items whose responses contain duplicates, other items, or too few items.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Client } from '../../src/api/client.ts';
import { pollItems } from '../../src/features/library/library-status-poller.ts';
import { pollModels } from '../../src/features/models/model-status-poller.ts';
import { pollExports } from '../../src/features/production/export-status-poller.ts';
import { pollColorways } from '../../src/features/variants/colorway-status-poller.ts';
import { clientOf, json, startServer, type TestServer } from '../api/_server.ts';

let server: TestServer;
let client: Client;
beforeAll(async () => {
  server = await startServer();
  client = clientOf(server, { operations: { getColorwayBatch: 'GET /colorways/{batchId}' } });
});
afterAll(() => server.close());
beforeEach(() => {
  server.received.length = 0;
});

/** Responses by the end of the path. A number is the status code of an error. */
function answers(byPath: Readonly<Record<string, unknown>>): void {
  server.respondWith((request, response) => {
    const path = Object.keys(byPath).find((end) => (request.url ?? '').endsWith(end));
    const body = path === undefined ? 404 : byPath[path];
    const error = { error: { code: 'NOT_FOUND', message: 'no such thing' } };
    if (typeof body === 'number') json(response, body, error);
    else json(response, 200, body);
  });
}

const options = { priority: 'status' } as const;
const plain = <T>(looks: ReadonlyMap<string, T>) => Object.fromEntries(looks);

describe('a poll of models', () => {
  const look = (...ids: string[]) => pollModels(client, ids, options);
  const model = (modelId: string, status = 'READY', ready?: boolean) => ({
    modelId,
    status,
    ready: ready ?? status === 'READY',
  });

  it.each<[string, object, Record<string, string | null>]>([
    [
      'lists a model twice',
      { models: [model('a'), model('a'), model('b')], notFound: [] },
      { a: 'READY', b: 'READY' },
    ],
    [
      'lists a model twice with different statuses',
      { models: [model('a'), model('a', 'FAILED'), model('a'), model('b')], notFound: [] },
      { b: 'READY' },
    ],
    [
      'lists a model that was not requested',
      { models: [model('a'), model('b'), model('c')], notFound: ['d'] },
      { a: 'READY', b: 'READY' },
    ],
    ['omits a model', { models: [model('a')], notFound: [] }, { a: 'READY' }],
    ['has no list of missing models', { models: [model('a')] }, { a: 'READY' }],
    [
      'lists a model both as found and as missing',
      { models: [model('a'), model('b')], notFound: ['b', 'b'] },
      { a: 'READY', b: 'READY' },
    ],
    [
      'contains an unreadable item',
      { models: [model('a'), { modelId: 'b', status: null }], notFound: [null, 7] },
      { a: 'READY' },
    ],
    [
      'lists a model only as missing',
      { models: [model('a')], notFound: ['b'] },
      { a: 'READY', b: null },
    ],
  ])('a poll of models handles a response that %s', async (_, answer, expected) => {
    answers({ '/models/status': answer });
    const looks = [...(await look('a', 'b'))].map(([id, seen]) => [id, seen && seen.status]);
    expect(Object.fromEntries(looks)).toEqual(expected);
  });

  it.each<[string, boolean | undefined, boolean]>([
    ['READY', undefined, true],
    ['Approved', false, true],
    ['ANALYZING', undefined, false],
    ['PUBLISHED', true, true],
    ['PUBLISHED', undefined, false],
    ['FAILED', true, false],
  ])('status %s with `ready: %s` counts as ready: %s', async (status, ready, expected) => {
    answers({ '/models/status': { models: [{ modelId: 'a', status, ready }] } });
    expect((await look('a')).get('a')?.ready).toBe(expected);
  });

  it('a poll of models still returns the other models if one request fails', async () => {
    const ids = Array.from({ length: 150 }, (_, at) => `m${at}`);
    server.respondWith((request, response) => {
      const { modelIds } = JSON.parse(request.body) as { modelIds: string[] };
      if (modelIds.includes('m0')) json(response, 200, { models: 'none' });
      else json(response, 200, { models: modelIds.map((id) => model(id)) });
    });
    expect((await look(...ids)).size).toBe(50);
    await expect(look('m0')).rejects.toThrow('checkModelStatus: "models"');
  });
});

describe('a poll of library items', () => {
  const look = (...ids: string[]) =>
    pollItems(
      client,
      ids.map((id) => ({ kind: id.startsWith('m') ? 'material' : 'prop', id })),
      options,
    );

  it('a prop that the response omits has no result', async () => {
    const props = [{ propId: 'p1', status: 'Ready' }];
    answers({ '/props/status': { props, notFound: ['p3'] } });
    expect(plain(await look('p1', 'p2', 'p3'))).toEqual({
      'prop/p1': { status: 'READY' },
      'prop/p3': null,
    });
  });

  it('materials that the response omits are read, and only those that do not exist are reported as missing', async () => {
    const materials = [{ materialId: 'm1', status: 'READY', error: null }];
    answers({
      '/materials/status': { materials },
      '/materials/m2': { materialId: 'm2', name: 'Oak' },
    });
    expect(plain(await look('m1', 'm2', 'm3'))).toEqual({
      'material/m1': { status: 'ready' },
      'material/m3': null,
    });
  });

  it('at most ten omitted materials are read', async () => {
    answers({ '/materials/status': { materials: [] } });
    const ids = Array.from({ length: 100 }, (_, at) => `m${at}`);
    expect((await look(...ids)).size).toBe(10);
    expect(server.received).toHaveLength(11);
  });
});

describe('a poll of colorways', () => {
  const look = (...items: [batchId: string, modelId: string][]) =>
    pollColorways(
      client,
      items.map(([batchId, modelId]) => ({ batchId, modelId, tries: 0 })),
      options,
    );
  const job = (baseModelId: string, status: unknown = 'Complete') => ({
    id: `job-${baseModelId}`,
    baseModelId,
    status,
  });

  it('colorway statuses are recognized regardless of case, and unknown statuses are returned unchanged', async () => {
    answers({ '/colorways/b': { jobs: [job('a'), job('c', 'PAINTING')] } });
    expect(plain(await look(['b', 'a'], ['b', 'c']))).toEqual({
      'b/a/0': { status: 'complete', jobId: 'job-a' },
      'b/c/0': { status: 'PAINTING', jobId: 'job-c' },
    });
  });

  it('NO_JOB is reported only if all jobs of the batch are readable', async () => {
    answers({ '/colorways/b': { jobs: [job('a'), job('c', {})] } });
    expect(plain(await look(['b', 'a'], ['b', 'c']))).toEqual({
      'b/a/0': { status: 'complete', jobId: 'job-a' },
    });
    answers({ '/colorways/b': { jobs: [job('a')] } });
    expect(plain(await look(['b', 'c']))).toEqual({ 'b/c/0': { status: 'NO_JOB' } });
  });

  it('models in an unreadable batch have no result, and all others have one', async () => {
    answers({ '/colorways/b': { jobs: [job('a')] }, '/colorways/d': { jobs: null } });
    expect(Object.keys(plain(await look(['b', 'a'], ['d', 'c'], ['gone', 'e'])))).toEqual([
      'b/a/0',
      'gone/e/0',
    ]);
    await expect(look(['d', 'c'])).rejects.toThrow('getColorwayBatch: "jobs"');
  });
});

describe('a poll of production files', () => {
  const look = (...ids: string[]) => pollExports(client, ids, options);
  const file = { id: 'f', documentNumber: 'PF-00001', version: 2 };

  it.each<[string, object, object]>([
    [
      'ready, with its status in another case',
      { id: 'e', status: 'ready', productionFile: file },
      { status: 'READY', sheet: { fileId: 'f', name: 'PF-00001-v2' } },
    ],
    [
      'still capturing, although an older file exists',
      { id: 'e', status: 'CAPTURING', productionFile: file },
      { status: 'CAPTURING', sheet: { exportId: 'e' } },
    ],
    [
      'in an unknown state',
      { id: 'e', status: 'PRINTING', productionFile: null },
      { status: 'PRINTING', sheet: { exportId: 'e' } },
    ],
    [
      'failed, with a very long reason',
      { id: 'e', status: 'Failed', productionFile: null, reason: `no\n${'x'.repeat(1_000)}` },
      { status: 'FAILED', sheet: { failure: `no ${'x'.repeat(296)}…` } },
    ],
  ])('a poll of production files returns a file that is %s', async (_, answer, expected) => {
    answers({ '/production-file-exports/e': answer });
    expect((await look('e')).get('e')).toEqual(expected);
  });

  it('the other files are returned if one response is unreadable and one read fails', async () => {
    answers({
      '/production-file-exports/e': { id: 'e', status: 'READY', productionFile: file },
      '/production-file-exports/odd': { id: 'odd', status: [] },
      '/production-file-exports/down': 503,
    });
    expect([...(await look('e', 'odd', 'down', 'gone')).keys()].sort()).toEqual(['e', 'gone']);
  });

  it('a poll of production files fails entirely if the API key is refused', async () => {
    answers({ '/production-file-exports/e': { id: 'e', status: 'CAPTURING' }, '/x': 401 });
    await expect(look('e', 'x')).rejects.toThrow('401');
  });
});
