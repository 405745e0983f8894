// Objects by id: pages of the list while they cost less than a request for each.
import { describe, expect, it } from 'vitest';
import { findByIds } from '../../src/engine/discovery/find-by-ids.ts';

/** A workspace of `total` objects `o0` (newest) and on; tells what was asked of it. */
function workspaceOf(total: number, missing: readonly string[] = []) {
  const asked: string[] = [];
  const isThere = (id: string) => Number(id.slice(1)) < total && !missing.includes(id);
  return {
    asked,
    idOf: (id: string) => id,
    async page({ offset, limit }: { offset: number; limit: number }) {
      asked.push(`page ${offset}`);
      const end = Math.min(total, offset + limit);
      const items = Array.from({ length: Math.max(0, end - offset) }, (_, at) => `o${offset + at}`);
      return { items: items.filter(isThere), total };
    },
    async one(id: string) {
      asked.push(id);
      return isThere(id) ? id : null;
    },
  };
}

const range = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, at) => `o${from + at}`);

describe('finding by ids', () => {
  it.each<[string, number, string[], string[]]>([
    ['one: asked for alone', 9_000, ['o7'], ['o7']],
    ['the newest: one page', 100_000, range(0, 50), ['page 0']],
    ['a few old ones: one page, then each', 100_000, ['o900', 'o901'], ['page 0', 'o900', 'o901']],
    [
      'many of a small workspace: its pages',
      250,
      range(50, 250),
      ['page 0', 'page 100', 'page 200'],
    ],
    ['twice the same: once', 9_000, ['o7', 'o7'], ['o7']],
  ])('%s', async (_, total, ids, asked) => {
    const workspace = workspaceOf(total);
    const { items, missing } = await findByIds(ids, workspace, undefined);
    expect(items).toEqual([...new Set(ids)]);
    expect(missing).toEqual([]);
    expect(workspace.asked).toEqual(asked);
  });

  it('never asks more than a page and each', async () => {
    const ids = range(0, 900).filter((_, at) => at % 3 === 0);
    const workspace = workspaceOf(100_000);
    await findByIds(ids, workspace, undefined);
    expect(workspace.asked.length).toBeLessThanOrEqual(1 + ids.length);
  });

  it('tells what is not there', async () => {
    const workspace = workspaceOf(120, ['o5']);
    const found = await findByIds(['o5', 'o6', 'o500'], workspace, undefined);
    expect(found).toEqual({ items: ['o6'], missing: ['o5', 'o500'] });
  });
});
