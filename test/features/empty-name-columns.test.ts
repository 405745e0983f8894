// Empty cells of columns that file names use are reported before anything is paid for.
import { expect, it } from 'vitest';
import { findEmptyNameWarnings } from '../../src/features/delivery/empty-name-columns.ts';
import type { RowValue } from '../../src/plan/rows.ts';
import type { Delivery } from '../../src/plan/run/deliveries.ts';
import { sourceOf } from '../store/_store.ts';

const place = 'products (products.csv in local folder /data)';

/** The warnings about assets with these rows, which are in the table from line 2 on. */
function warningsOf(
  rows: Record<string, Record<string, RowValue>>,
  naming: string,
  isInTable = true,
) {
  const keys = Object.keys(rows);
  const assets = keys.map((key) => ({
    key,
    source: { ...sourceOf(key), row: { values: rows[key] ?? {} } },
  }));
  const delivery: Delivery = { connector: 'out', naming, isUnconditional: true };
  const rowsOf = (key: string) => [
    { place, lines: [keys.indexOf(key) + 2], values: rows[key] ?? {} },
  ];
  const context = { deliveries: [delivery], connectors: { out: { type: 'local' } }, node: 'take' };
  return findEmptyNameWarnings(assets, {
    ...context,
    rows: { rowsOf: isInTable ? rowsOf : () => [] },
  });
}

const naming = '{{ row.season }}/{{ row.sku }}_{{ index }}.{{ ext }}';

it('the warning says the row, the column and the file name', () => {
  const rows = { mug: { season: 'SS26', sku: '' }, cup: { season: 'SS26', sku: 'A1' } };
  expect(warningsOf(rows, naming)).toEqual([
    {
      key: 'take',
      message: `a column that file names use is empty: row.sku of ${place}, line 2: a file of "mug" gets the name "SS26/_{{ index }}.{{ ext }}"; fill in the cell, or leave the column out of \`naming\``,
    },
  ]);
});

it('three assets are shown, and the others are counted', () => {
  const rows = Object.fromEntries([1, 2, 3, 4, 5].map((number) => [`mug${number}`, { sku: null }]));
  const [warning] = warningsOf(rows, '{{ row.sku }}.{{ ext }}');
  expect(warning?.message).toMatch(
    /line 4: a file of "mug3" gets the name "[^"]*" and 2 more; fill/,
  );
});

it.each<[string, Parameters<typeof warningsOf>]>([
  ['no name uses the column', [{ mug: { price: '' } }, '{{ key }}.{{ ext }}']],
  ['the value is 0 or false', [{ mug: { sku: 0, season: false } }, naming]],
  ['the asset has no row, and the table allows it', [{ mug: { sku: '' } }, naming, false]],
])('there is no warning if %s', (_, given) => {
  expect(warningsOf(...given)).toEqual([]);
});
