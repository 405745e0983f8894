// Lists of the platform with duplicate or unreadable items.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../../src/api/client.ts';
import { RequestCounter } from '../../src/api/request-counter.ts';
import { defaultFieldNames } from '../../src/api/requests/field-names.ts';
import { checkOrphans } from '../../src/engine/cleaning/check-orphans.ts';
import type { ListDeps } from '../../src/engine/discovery/list-deps.ts';
import { createModelLister } from '../../src/features/models/selection/select-models.ts';
import { projectCleaner } from '../../src/features/projects/index.ts';
import { projectLister } from '../../src/features/projects/select-projects.ts';
import { PropertyDefinitions } from '../../src/features/properties/property-definitions.ts';
import { renderLister } from '../../src/features/renders/select-renders.ts';
import { readVariants } from '../../src/features/variants/variant-list.ts';
import type { Lister } from '../../src/store/discovery/listed-source.ts';
import { clientOf, json, startServer, type TestServer } from '../api/_server.ts';
import { asset } from '../plan/_steps.ts';
import { nodeContext } from './_context.ts';

let server: TestServer;
let client: Client;
beforeAll(async () => {
  server = await startServer();
  client = clientOf(server);
});
afterAll(() => server.close());

/** Responses by path. Other paths return 404. */
function answers(byPath: Readonly<Record<string, unknown>>): void {
  server.respondWith(({ url }, response) => {
    const { pathname } = new URL(url, 'http://platform.local');
    const body = byPath[pathname.replace('/api/v1', '')];
    if (body === undefined) json(response, 404, { error: { code: 'NOT_FOUND', message: 'none' } });
    else json(response, 200, body);
  });
}

async function listed(make: (context: ListDeps) => Lister) {
  const { sources, failures } = await make({
    node: 'begin',
    ids: null,
    mayWrite: false,
    client: () => client,
    getConnector: () => {
      throw new Error('lists of the platform open no connector');
    },
    requests: new RequestCounter(),
    now: Date.now,
  }).list(undefined);
  return {
    keys: sources.map(({ unkeyed }) => unkeyed.shortKey),
    found: sources,
    refused: failures.map(({ key, code }) => `${code} ${key}`),
  };
}

describe('a selection', () => {
  it('a selection of models skips unreadable items and duplicates, and a model without a name is identified by its id', async () => {
    const models = [
      { modelId: 'm1', name: 'Chair', fileSize: '12', createdAt: 'soon' },
      { modelId: 'm1', name: 'Chair' },
      { modelId: null, name: 'Lamp' },
      'no model',
      { modelId: 3, name: { odd: true } },
    ];
    answers({ '/models': { models, total: 5 } });
    const { keys, found } = await listed((context) => createModelLister({}, context));
    expect(keys).toEqual(['Chair', '3']);
    expect(found[0]).toMatchObject({ source: { bytes: 12 }, platformIds: { modelId: 'm1' } });
    expect(found[0]).not.toHaveProperty('madeAtMs');
  });

  it('a selection by ids refuses an unreadable model and a response about another model', async () => {
    answers({
      '/models': { models: [], total: 0 },
      '/models/m1': { modelId: 'm1', name: 'Chair' },
      '/models/m2': { name: 'Lamp' },
      '/models/m3': { modelId: 'm9' },
    });
    const ids = ['m1', 'm2', 'm3', 'm4'];
    const { keys, refused } = await listed((context) => createModelLister({ ids }, context));
    expect(keys).toEqual(['Chair']);
    expect(refused.sort()).toEqual([
      'API_UNEXPECTED m2',
      'API_UNEXPECTED m3',
      'MODEL_NOT_FOUND m4',
    ]);
  });

  it('a selection of projects skips a project whose models are unreadable', async () => {
    const projects = [
      { projectId: 'p1', name: 'Chairs', modelIds: [7] },
      { projectId: 'p2', name: 'Lamps', modelIds: null },
    ];
    answers({ '/projects': { projects } });
    const { found } = await listed((context) => projectLister({}, context));
    expect(found.map(({ platformIds }) => platformIds)).toEqual([
      { projectId: 'p1', modelId: '7' },
    ]);
  });

  it('a selection of render jobs refuses a job with an unreadable output', async () => {
    const output = { id: 'r1', filePath: 'https://cdn.example.com/r1.mov', fileType: 'PRORES' };
    const job = { status: 'Completed', projectId: 'p' };
    answers({
      '/renders/j1': { ...job, renders: [output, output] },
      '/renders/j2': { ...job, renders: [output, { ...output, filePath: null }] },
    });
    const { found, refused } = await listed((context) =>
      renderLister({ jobs: ['j1', 'j2', 'j3'] }, context),
    );
    expect(found.map(({ platformIds }) => platformIds?.outputs)).toEqual([
      [
        {
          id: 'r1',
          name: 'r1',
          fileType: 'PRORES',
          isVideo: true,
          isPreview: false,
          url: output.filePath,
        },
      ],
    ]);
    expect(refused).toEqual(['API_UNEXPECTED j2', 'RENDER_JOB_NOT_FOUND j3']);
  });
});

describe('variants of a model', () => {
  const read = () =>
    readVariants(
      asset('chair', { modelId: 'm' }),
      nodeContext({ client, fields: defaultFieldNames }),
    );
  const red = { variantId: 'v1', name: 'Red' };

  it.each<[string, unknown[], unknown]>([
    ['a duplicate counts once', [red, red], [{ id: 'v1', name: 'Red' }]],
    ['numbers become strings', [{ variantId: 4, name: 8 }], [{ id: '4', name: '8' }]],
    [
      'a variant without a name fails the asset',
      [red, { variantId: 'v2', name: null }],
      { key: 'chair', outcome: 'failed', code: 'API_UNEXPECTED' },
    ],
    [
      'an item that is not a variant fails the asset',
      [red, null],
      { key: 'chair', outcome: 'failed', code: 'API_UNEXPECTED' },
    ],
  ])('%s', async (_, variants, expected) => {
    answers({ '/models/m/variants': { variants } });
    expect(await read()).toMatchObject(expected as object);
  });

  it('a value that is not a list fails the asset', async () => {
    answers({ '/models/m/variants': { variants: 7 } });
    expect(await read()).toMatchObject({ key: 'chair', code: 'API_UNEXPECTED' });
  });

  it('unknown field names fail the run', async () => {
    answers({ '/models/m/variants': { variants: [{ guid: 'v1', label: 'Red' }] } });
    await expect(read()).rejects.toThrow('available fields: guid, label');
  });
});

describe('properties', () => {
  it('duplicate properties and options count once, and those without a name are found by id', async () => {
    const option = { id: 'o1', label: 'Winter' };
    const season = {
      id: 'p1',
      name: 'Season',
      type: 'select',
      options: [option, option, { id: 'o2' }],
    };
    answers({ '/properties': { properties: [season, season, { id: 'p2', type: 'TEXT' }] } });
    const book = await PropertyDefinitions.read(client, 'MODEL', new RequestCounter(), undefined);
    const found = book.property('season');
    expect(found).toMatchObject({ id: 'p1', type: 'SELECT' });
    expect(book.option(found, 'winter')).toBe('o1');
    expect(book.option(found, 'o2')).toBe('o2');
    expect(book.property('p2').name).toBe('p2');
  });
});

describe('running clean on an unusual list', () => {
  const orphan = { kind: 'model', id: 'm1' } as unknown as Parameters<
    typeof checkOrphans
  >[1][number];
  const look = () =>
    checkOrphans(client, [orphan], [projectCleaner], {
      requestCounter: new RequestCounter(),
      signal: new AbortController().signal,
    });
  const status = { models: [{ modelId: 'm1', status: 'READY' }] };

  it.each<[string, object, string]>([
    [
      'an unreadable project',
      { projects: [{ projectId: 'p1' }], total: 1 },
      'a page has unreadable items: 1',
    ],
    [
      'a project that is missing from the list',
      { projects: [], total: 2 },
      'the list ended after 0 of 2 items',
    ],
  ])('clean stops if the model may be in use by %s', async (_, projects, said) => {
    answers({ '/models/status': status, '/projects': projects });
    await expect(look()).rejects.toThrow(said);
  });

  it('clean lists a model for deletion if no project uses it', async () => {
    answers({ '/models/status': status, '/projects': { projects: [], total: 0 } });
    expect(await look()).toMatchObject({ existing: [{ id: 'm1' }], inUse: [] });
  });
});
