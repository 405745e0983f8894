// A table of 200,000 rows, the largest possible: what a worker keeps of it fits in its memory, also if the rows are the
// assets.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { openRows } from '../../src/engine/rows/open-rows.ts';
import { maxDataRows } from '../../src/engine/rows/open-table.ts';
import type { TablePlan } from '../../src/plan/rows.ts';
import type { ListedPage } from '../../src/store/discovery/listed-source.ts';
import { MemoryConnector } from '../connectors/_memory-connector.ts';
import { sourceOf } from '../store/_store.ts';

const planned: TablePlan = {
  tables: [
    {
      name: 'products',
      connector: 'models',
      path: 'products.csv',
      key: { model: 'Style' },
      match: 'key',
      columns: {},
      withoutRow: 'fail',
    },
  ],
  reads: ['colour', 'gtin', 'sku'],
  stages: { render: ['colour'] },
  shared: [],
};

function collectGarbage(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  return process.memoryUsage().heapUsed;
}

it('a table uses less than 100 MB of memory, and only the columns that are read are kept', async () => {
  const connector = new MemoryConnector();
  const line = (at: number) =>
    `model/${at},SKU-${at},Colour ${at % 50},40063813${at},${'unread '.repeat(10)}${at}\n`;
  const lines = Array.from({ length: maxDataRows }, (_, at) => line(at)).join('');
  await connector.write('products.csv', Buffer.from(`Style,SKU,Colour,GTIN,Text\n${lines}`));
  const before = collectGarbage();
  const rows = await openRows(planned, { getConnector: () => connector, grid: [] });
  const kept = collectGarbage() - before;
  expect(kept).toBeLessThan(100 * 1024 ** 2);
  const last = maxDataRows - 1;
  expect(rows?.rowOf(`model/${last}`, sourceOf('x'))).toMatchObject({
    row: { values: { colour: 'Colour 49', gtin: `40063813${last}`, sku: `SKU-${last}` } },
  });
});

it('100,000 table rows as assets use less than 100 MB of memory including their files, and are listed in pages', async () => {
  const connector = new MemoryConnector();
  const count = 100_000;
  const bytes = Buffer.from('x');
  for (let at = 0; at < count / 2; at += 1) {
    connector.bucket.files.set(`models/${at}.glb`, { bytes, mtimeMs: 1 });
  }
  const line = (at: number) => `SKU-${at},models\\${at >> 1}.GLB\n`;
  const lines = Array.from({ length: count }, (_, at) => line(at)).join('');
  await connector.write('products.csv', Buffer.from(`SKU,File\n${lines}`));
  const [table] = planned.tables.map((one) => ({ ...one, key: { model: 'SKU' }, file: 'File' }));
  const before = collectGarbage();
  const rows = await openRows(
    { ...planned, tables: table ? [table] : [], reads: [], stages: {} },
    { getConnector: () => connector, grid: [] },
  );
  const lister = rows?.listing?.lister({
    connector,
    config: { include: ['**/*.glb'], exclude: [], stableForMs: 0 },
    node: 'take',
    now: () => 0,
  });
  const pages: number[] = [];
  for (let after: string | null = ''; after !== null; ) {
    const limits = { names: 30_000, ms: 0 };
    const page: ListedPage | undefined = await lister?.listPage?.(after, limits, undefined);
    expect(page?.failures).toEqual([]);
    pages.push(page?.sources.length ?? 0);
    after = page?.after ?? null;
  }
  expect(pages).toEqual([30_000, 30_000, 30_000, 10_000]);
  expect(collectGarbage() - before).toBeLessThan(100 * 1024 ** 2);
  expect(rows?.listing?.formatUnnamed()).toBeNull();
});
