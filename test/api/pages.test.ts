import { describe, expect, it } from 'vitest';
import { pages } from '../../src/api/pages.ts';

interface Query {
  limit?: number;
  offset?: number;
  status?: string;
}

/** A list that changes between two pages, as the platform's do. */
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

async function idsOf(list: ReturnType<typeof listOf>['list'], pageSize: number): Promise<string[]> {
  const found: string[] = [];
  for await (const model of pages(list, { status: 'READY' }, { pageSize })) {
    found.push(model.modelId);
  }
  return found;
}

describe('pages', () => {
  it.each([
    ['nothing', 0, 1],
    ['part of a page', 3, 1],
    ['exactly one page', 10, 1],
    ['one more than a page', 11, 2],
    ['many pages', 95, 10],
  ])('%s: every item once, no request too many', async (_, count, requests) => {
    const { list, asked } = listOf(numbered(count));
    expect(await idsOf(list, 10)).toEqual(numbered(count));
    expect(asked).toHaveLength(requests);
  });

  it('passes the filter on and asks for the biggest page by default', async () => {
    const { list, asked } = listOf(numbered(120));
    for await (const _ of pages(list, { status: 'READY' })) expect(_).toBeDefined();
    expect(asked).toEqual([
      { status: 'READY', limit: 100, offset: 0 },
      { status: 'READY', limit: 100, offset: 100 },
    ]);
  });

  it('drops the repeats that new items push onto later pages', async () => {
    const { list } = listOf(numbered(30), (ids, page) => ids.unshift(`new${page}`));
    const found = await idsOf(list, 10);
    expect(found).toEqual(numbered(30));
  });

  it('does not lose what deletions pull onto a page that was read already', async () => {
    const { list } = listOf(numbered(40), (ids, page) => {
      if (page === 2) ids.splice(0, 3);
    });
    const found = await idsOf(list, 10);
    expect(new Set(found)).toEqual(new Set(numbered(40)));
  });

  it('comes to an end even when somebody adds and deletes for ever', async () => {
    const { list, asked } = listOf(numbered(500), (ids, page) => {
      if (page % 2 === 0) ids.push(...numbered(40));
      else ids.splice(0, 40);
    });
    await idsOf(list, 10);
    expect(asked.length).toBeLessThan(200);
  });

  it("uses the item's own id, not the id of what it belongs to", async () => {
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
    for await (const render of pages(list, {})) found.push(render.id);
    expect(found).toEqual(['r1', 'r2']);
  });

  it('stops asking when its reader stops reading', async () => {
    const { list, asked } = listOf(numbered(100));
    for await (const model of pages(list, {}, { pageSize: 10 })) {
      if (model.modelId === 'm4') break;
    }
    expect(asked).toHaveLength(1);
  });
});
