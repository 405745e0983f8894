import { describe, expect, it } from 'vitest';
import { startSandbox } from '../../packages/sandbox/src/server/server.ts';
import { createClient } from '../../src/api/client.ts';
import type { OperationRow } from '../../src/api/contract/operation.ts';
import { RequestShapeError } from '../../src/api/errors/errors.ts';
import { operations } from '../../src/api/operations/index.ts';
import { listPages, pageParamsIn, readPages } from '../../src/api/pages.ts';

interface Query {
  limit?: number;
  offset?: number;
  status?: string;
}

/** A list that changes between two pages, like the platform's lists. */
function listOf(ids: string[], change: (ids: string[], page: number) => void = () => {}) {
  const asked: Query[] = [];
  const list = (input: { query?: Query }) => {
    const query = input.query ?? {};
    if (asked.length > 0) change(ids, asked.length);
    asked.push(query);
    const { limit = 50, offset = 0 } = query;
    const models = ids.slice(offset, offset + limit).map((id) => ({ modelId: id, name: 'shoe' }));
    return Promise.resolve({ models, total: ids.length, limit, offset });
  };
  return { list, asked };
}

function numbered(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `m${index}`);
}

/** @param pageSize the default if absent */
async function idsOf(
  list: ReturnType<typeof listOf>['list'],
  pageSize?: number,
): Promise<string[]> {
  const found: string[] = [];
  const size = pageSize === undefined ? {} : { pageSize };
  for await (const model of listPages('listModels', list, { status: 'READY' }, size)) {
    found.push(model.modelId);
  }
  return found;
}

describe('pages', () => {
  it.each([
    ['an empty list', 0, 1],
    ['part of a page', 3, 1],
    ['exactly one page', 10, 1],
    ['one item more than a page', 11, 2],
    ['many pages', 95, 10],
  ])(
    'each item of a list is read once, and no unnecessary request is sent: %s',
    async (_, count, requests) => {
      const { list, asked } = listOf(numbered(count));
      expect(await idsOf(list, 10)).toEqual(numbered(count));
      expect(asked).toHaveLength(requests);
    },
  );

  it('pages are requested with the filter, and by default with the maximum page size', async () => {
    const { list, asked } = listOf(numbered(120));
    expect(await idsOf(list)).toEqual(numbered(120));
    expect(asked).toEqual([
      { status: 'READY', limit: 100, offset: 0 },
      { status: 'READY', limit: 100, offset: 100 },
    ]);
  });

  it('pages do not repeat items that new items have moved to later pages', async () => {
    const { list } = listOf(numbered(30), (ids, page) => ids.unshift(`new${page}`));
    const found = await idsOf(list, 10);
    expect(found).toEqual(numbered(30));
  });

  it('pages do not miss items that deletions have moved to a page already read', async () => {
    const { list } = listOf(numbered(40), (ids, page) => {
      if (page === 2) ids.splice(0, 3);
    });
    const found = await idsOf(list, 10);
    expect(new Set(found)).toEqual(new Set(numbered(40)));
  });

  it('reading ends with an error if items are added and deleted forever', async () => {
    const { list, asked } = listOf(numbered(500), (ids, page) => {
      if (page % 2 === 0) ids.push(...numbered(40));
      else ids.splice(0, 40);
    });
    await expect(idsOf(list, 10)).rejects.toThrow('had nothing new');
    expect(asked.length).toBeLessThan(200);
  });

  it('an item is identified by its own id, not by that of its project', async () => {
    const renders = [
      { projectId: 'p1', id: 'r1' },
      { projectId: 'p1', id: 'r2' },
    ];
    const list = (): Promise<{
      renders: typeof renders;
      total: number;
      limit: number;
      offset: number;
    }> => Promise.resolve({ renders, total: 2, limit: 100, offset: 0 });
    const found = [];
    for await (const render of listPages('listRenders', list, {})) found.push(render.id);
    expect(found).toEqual(['r1', 'r2']);
  });

  it('no page is requested after the reader has stopped', async () => {
    const { list, asked } = listOf(numbered(100));
    for await (const model of listPages('listModels', list, {}, { pageSize: 10 })) {
      if (model.modelId === 'm4') break;
    }
    expect(asked).toHaveLength(1);
  });
});

/** A list with an arbitrary response for each page. */
function pagesOf(answer: (place: { limit: number; offset: number }, page: number) => object) {
  const asked: number[] = [];
  const list = ({ query = {} }: { query?: Query }) => {
    const { limit = 50, offset = 0 } = query;
    asked.push(offset);
    return Promise.resolve(answer({ limit, offset }, asked.length) as { models: Model[] });
  };
  return { list, asked };
}

interface Model {
  modelId: string;
}

const models = (from: number, count: number): Model[] =>
  Array.from({ length: Math.max(0, count) }, (_, at) => ({ modelId: `m${from + at}` }));

describe('a list', () => {
  it.each<
    [string, (place: { limit: number; offset: number }, page: number) => object, string, number]
  >([
    [
      'the same full page forever',
      () => ({ models: models(0, 100), total: 250_000 }),
      'nothing new',
      4,
    ],
    ['the same page forever and no total', () => ({ models: models(0, 100) }), 'nothing new', 4],
    [
      'a total that grows with every page',
      ({ offset }) => ({ models: models(offset, 100), total: offset + 200 }),
      'the list does not end; items read so far: 10400; pages: 104; announced items: 200',
      104,
    ],
    [
      'a total of a billion items',
      ({ offset }) => ({ models: models(offset, 100), total: 1e9 }),
      'the list claims to have 1000000000 items',
      1,
    ],
  ])('a list with %s fails with a ResponseShapeError', async (_, answer, said, requests) => {
    const { list, asked } = pagesOf(answer);
    await expect(idsOf(list as never, 100)).rejects.toThrow(
      expect.objectContaining({
        name: 'ResponseShapeError',
        message: expect.stringMatching(new RegExp(`^listModels: .*${said}`)) as string,
      }) as Error,
    );
    expect(asked).toHaveLength(requests);
  });

  it.each<[string, unknown]>([
    ['no total', undefined],
    ['a total of null', null],
    ['a total below the number of items', 3],
    ['a total that is not a number', 'many'],
    ['a total below zero', -1],
  ])('a list with %s is read up to the page that is not full', async (_, total) => {
    const { list, asked } = pagesOf(({ offset, limit }) => ({
      models: models(offset, Math.min(limit, 25 - offset)),
      total,
    }));
    expect(await idsOf(list as never, 10)).toEqual(numbered(25));
    expect(asked).toEqual([0, 10, 20]);
  });

  it('a list with smaller pages than requested is read to its end', async () => {
    const { list, asked } = pagesOf(({ offset }) => ({ models: models(offset, 3), total: 600 }));
    expect(await idsOf(list as never, 100)).toHaveLength(600);
    expect(asked).toHaveLength(200);
  });

  it('a list with larger pages than requested is read to its end, each item once', async () => {
    const { list, asked } = pagesOf(({ offset }) => ({ models: models(offset, 100), total: 600 }));
    expect(await idsOf(list as never, 10)).toEqual(numbered(600));
    expect(asked).toEqual([0, 100, 200, 300, 400, 500]);
  });

  it('a list may repeat small pages twenty times', async () => {
    const { list } = listOf(numbered(12), (ids, page) => {
      if (page <= 20) ids.unshift(`new${page}`);
    });
    expect(await idsOf(list, 1)).toEqual(numbered(12));
  });
});

describe('a list that must be complete', () => {
  const { list: listed } = listOf([]);

  const whole = async (list: unknown) => {
    const found: string[] = [];
    const items = listPages('listModels', list as typeof listed, {}, { requireComplete: true });
    for await (const { modelId } of items) found.push(modelId);
    return found;
  };

  it('a list that must be complete is read like any other', async () => {
    expect(await whole(listOf(numbered(120)).list)).toEqual(numbered(120));
  });

  it.each<[string, object, string]>([
    [
      'has an item that cannot be read',
      { models: Object.assign(models(0, 2), { unread: 1 }), total: 3 },
      'a page has unreadable items: 1',
    ],
    ['ends before its total', { models: [], total: 3 }, 'the list ended after 0 of 3 items'],
  ])('a list that must be complete causes an error if it %s', async (_, page, said) => {
    await expect(whole(pagesOf(() => page).list)).rejects.toThrow(said);
  });
});

describe('search pages', () => {
  interface Body {
    assetType: string;
    limit?: number;
    offset?: number;
  }

  it('requests for search pages contain limit and offset in the body, next to the filter', async () => {
    const asked: Body[] = [];
    const ids = numbered(5);
    const search = ({ body }: { body: Body }) => {
      asked.push(body);
      const { limit = 25, offset = 0 } = body;
      const assets = ids.slice(offset, offset + limit).map((id) => ({ id }));
      return Promise.resolve({ assetType: 'MODEL', assets, total: 5, limit, offset });
    };
    const found = [];
    for await (const { id } of readPages(
      operations.searchAssets,
      (window) => search({ body: { assetType: 'MODEL', ...window } }),
      { pageSize: 3 },
    )) {
      found.push(id);
    }
    expect(found).toEqual(ids);
    expect(asked).toEqual([
      { assetType: 'MODEL', limit: 3, offset: 0 },
      { assetType: 'MODEL', limit: 3, offset: 3 },
    ]);
  });

  it('search pages beyond the maximum offset are refused before a request is sent', async () => {
    const client = createClient({ baseUrl: 'http://127.0.0.1:1/api/v1', apiKey: 'k' });
    const call = client.searchAssets({ body: { assetType: 'MODEL', offset: 100_001 } });
    await expect(call).rejects.toThrow(RequestShapeError);
    await client.close();
  });
});

describe('operations with pages', () => {
  const rows: OperationRow[] = Object.values(operations);

  it.each(rows.map((row) => [row.id, row] as const))(
    'the operation %s has pages if and only if its response contains a total and an offset',
    (_, row) => {
      const answer =
        row.response === 'redirect' ? {} : 'shape' in row.response ? row.response.shape : {};
      // Each operation with a total in its response accepts limit and offset, and vice versa.
      expect(pageParamsIn(row) !== null).toBe(
        'total' in (answer as object) && 'offset' in (answer as object),
      );
    },
  );

  it('every list of the client is read to its end on the sandbox', async () => {
    const sandbox = await startSandbox({ seed: 1, pictureScale: 0, rateLimit: 0 });
    const client = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey });
    await client.createModels({ body: { models: numbered(7).map(() => ({ fileType: 'glb' })) } });
    await client.createProps({ body: { props: numbered(3).map(() => ({ fileType: 'glb' })) } });
    const count = async (items: AsyncIterable<unknown>) => {
      let found = 0;
      for await (const _ of items) found += 1;
      return found;
    };
    const few = { pageSize: 2 };
    const search = (window: { limit: number; offset: number }) =>
      client.searchAssets({ body: { assetType: 'MODEL', ...window } });
    expect([
      await count(listPages('listModels', client.listModels, {}, few)),
      await count(listPages('listProps', client.listProps, {}, few)),
      await count(listPages('listDecals', client.listDecals, {}, few)),
      await count(listPages('listMaterials', client.listMaterials, {}, few)),
      await count(listPages('listProjects', client.listProjects, {}, few)),
      await count(listPages('listRenders', client.listRenders, {}, few)),
      await count(readPages(operations.searchAssets, search, few)),
    ]).toEqual([7, 3, 0, 0, 0, 0, 7]);
    await client.close();
    await sandbox.stop();
  });
});
