// Finds objects by id. It reads pages of the list while that needs fewer requests than reading each object.
import { describe, expect, it } from 'vitest';
import { ResponseShapeError } from '../../src/api/errors/errors.ts';
import { findByIds } from '../../src/engine/discovery/find-by-ids.ts';

/** A workspace of `total` objects, `o0` being the newest; records the requests. */
function workspaceOf(total: number, missing: readonly string[] = []) {
  const asked: string[] = [];
  const exists = (id: string) => Number(id.slice(1)) < total && !missing.includes(id);
  return {
    asked,
    idOf: (id: string) => id,
    async readPage({ offset, limit }: { offset: number; limit: number }) {
      asked.push(`page ${offset}`);
      const end = Math.min(total, offset + limit);
      const items = Array.from({ length: Math.max(0, end - offset) }, (_, at) => `o${offset + at}`);
      return { items: items.filter(exists), total };
    },
    async readOne(id: string) {
      asked.push(id);
      return exists(id) ? id : null;
    },
  };
}

const range = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, at) => `o${from + at}`);

describe('finding objects by id', () => {
  it.each<[string, number, string[], string[]]>([
    ['one id, with one read', 9_000, ['o7'], ['o7']],
    ['the newest ids, with one page', 100_000, range(0, 50), ['page 0']],
    [
      'a few old ids, with one page and then a read for each',
      100_000,
      ['o900', 'o901'],
      ['page 0', 'o900', 'o901'],
    ],
    [
      'many ids in a small workspace, with its pages',
      250,
      range(50, 250),
      ['page 0', 'page 100', 'page 200'],
    ],
    ['a duplicate id, with one read', 9_000, ['o7', 'o7'], ['o7']],
  ])('findByIds() sends only the requests needed for %s', async (_, total, ids, asked) => {
    const workspace = workspaceOf(total);
    const { items, missingIds } = await findByIds(ids, workspace, undefined);
    expect(items).toEqual([...new Set(ids)]);
    expect(missingIds).toEqual([]);
    expect(workspace.asked).toEqual(asked);
  });

  it('GUIDs match in any spelling, both on a page and in single reads', async () => {
    const [lower, upper] = ['0f8fad5bd9cb469fa16570867728950e', '1F8FAD5BD9CB469FA16570867728950E'];
    const known = [lower, upper, 'x1'];
    const source = {
      idOf: (id: string) => id,
      readPage: async () => ({ items: [lower, 'x1'], total: 3 }),
      readOne: async (id: string) =>
        known.find((one) => one.toLowerCase() === id.replaceAll('-', '').toLowerCase()) ?? null,
    };
    const ids = ['0F8fad5b-d9cb-469f-a165-70867728950e', lower, upper.toLowerCase(), 'X1'];
    const found = await findByIds(ids, source, undefined);
    expect(found).toEqual({
      items: [lower, upper],
      missingIds: [],
      unreadable: [{ id: 'X1', message: 'the platform returned x1 instead of the requested X1' }],
    });
  });

  it('finding by ids never takes more requests than one page plus one read per id', async () => {
    const ids = range(0, 900).filter((_, at) => at % 3 === 0);
    const workspace = workspaceOf(100_000);
    await findByIds(ids, workspace, undefined);
    expect(workspace.asked.length).toBeLessThanOrEqual(1 + ids.length);
  });

  it('missing ids are reported', async () => {
    const workspace = workspaceOf(120, ['o5']);
    const found = await findByIds(['o5', 'o6', 'o500'], workspace, undefined);
    expect(found).toEqual({ items: ['o6'], missingIds: ['o5', 'o500'], unreadable: [] });
  });

  it('no more pages are read than the first one implies, even if the list keeps growing', async () => {
    const workspace = workspaceOf(100_000);
    const growing = {
      ...workspace,
      readPage: async (place: { offset: number; limit: number }) => ({
        items: (await workspace.readPage(place)).items,
        total: place.offset + 300,
      }),
    };
    const ids = range(50_000, 50_010);
    const { items } = await findByIds(ids, growing, undefined);
    expect(items).toEqual(ids);
    expect(workspace.asked).toEqual(['page 0', 'page 100', 'page 200', ...ids]);
  });

  it('each object is read if the list is unreadable', async () => {
    const workspace = workspaceOf(120);
    const broken = {
      ...workspace,
      readPage: () =>
        Promise.reject(new ResponseShapeError('listModels', 200, 'models', 'no list')),
    };
    expect((await findByIds(range(0, 3), broken, undefined)).items).toEqual(range(0, 3));
  });

  it.each<[string, (id: string) => Promise<string>, string]>([
    [
      'is unreadable',
      () => Promise.reject(new ResponseShapeError('getModel', 200, 'modelId', 'nothing came')),
      'getModel: "modelId"',
    ],
    [
      'is about another object',
      async () => 'o9',
      'the platform returned o9 instead of the requested o500',
    ],
  ])('a response that %s is reported only for its own id', async (_, one, message) => {
    const workspace = workspaceOf(120);
    const lying = {
      ...workspace,
      readOne: (id: string) => (id === 'o500' ? one(id) : workspace.readOne(id)),
    };
    const found = await findByIds(['o5', 'o500'], lying, undefined);
    expect(found).toMatchObject({ items: ['o5'], missingIds: [] });
    expect(found.unreadable).toEqual([
      { id: 'o500', message: expect.stringContaining(message) as string },
    ]);
  });

  it('a differently spelled id counts as the same id', async () => {
    const id = '{0F8FAD5B-D9CB-469F-A165-70867728950E}';
    const plain = '0f8fad5bd9cb469fa16570867728950e';
    const workspace = { ...workspaceOf(0), readOne: async () => plain };
    expect((await findByIds([id], workspace, undefined)).items).toEqual([plain]);
  });
});
