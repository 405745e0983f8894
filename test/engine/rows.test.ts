// Rows of tables (`data:`): which row belongs to an asset, the values of the row, and the tables and rows that are
// refused.
import { zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { RunCauseError } from '../../src/engine/engine-errors.ts';
import { openRows } from '../../src/engine/rows/open-rows.ts';
import { identifierOf } from '../../src/language/column-name.ts';
import type { Position } from '../../src/plan/grid.ts';
import type { AssetSource } from '../../src/plan/types.ts';
import { planOf, withNodes } from '../compile/_compile.ts';
import { MemoryConnector } from '../connectors/_memory-connector.ts';
import { sourceOf } from '../store/_store.ts';
import { type Cell, workbook } from './_workbook.ts';

/** Tables of a pipeline whose file names show `row.NAME` of these columns. */
async function open(
  files: Record<string, string | Buffer>,
  tables: string,
  columns: string[],
  { key, nodes = [] }: { key?: string; nodes?: string[] } = {},
) {
  const shown = columns.map((name) => `{{ row.${name} }}`).join('-');
  const text = withNodes(
    '{ id: ready, type: model_ready, parentIds: [take] }',
    ...nodes,
    `{ id: shots, type: render, parentIds: [${nodes.length > 0 ? 'grid' : 'ready'}], config: { settings: {} } }`,
    `{ id: deliver, type: export, parentIds: [shots], config: { connector: out, naming: "{{ key }}${shown}.{{ ext }}" } }`,
  ).replace('records: out', `data: ${tables}\n${key === undefined ? '' : `key: '${key}'\n`}`);
  const { discovery } = planOf(text);
  const connector = new MemoryConnector();
  for (const [path, content] of Object.entries(files))
    await connector.write(path, Buffer.from(content));
  const rows = await openRows(discovery.rows, {
    getConnector: () => connector,
    grid: discovery.grid ?? [],
  });
  if (rows === null) throw new Error('the plan has no tables');
  return rows;
}

const table = (more = '') => `{ p: { connector: models, path: p.csv, key: Style${more} } }`;

const valuesOf = (rows: Awaited<ReturnType<typeof open>>, key: string, source?: AssetSource) => {
  const found = rows.rowOf(key, source ?? sourceOf(key));
  if (found === 'skipped') return found;
  return 'row' in found ? found.row.values : `${found.failure.code}: ${found.message}`;
};

describe('table headings in expressions', () => {
  it.each([
    ['SKU', 'sku'],
    ['Colour name', 'colour_name'],
    ['Größe (mm)', 'gro_e_mm'],
    ['Année', 'annee'],
    ['2nd price', '_2nd_price'],
  ])('the heading "%s" is row.%s', (heading, name) => {
    expect(identifierOf(heading)).toBe(name);
  });
});

describe('a row in every supported format', () => {
  const rows: Cell[][] = [
    ['Style', 'SKU', 'Name'],
    ['chair', '0012', 'Chair "Oslo", oak'],
  ];
  const json = '{"Style":"chair","SKU":"0012","Name":"Chair \\"Oslo\\", oak"}\n';
  const manyCommas = 'Style;SKU;Name;Size (W, D, H, net)\nchair;0012;"Chair ""Oslo"", oak";1\n';
  it.each<[name: string, path: string, content: string | Buffer]>([
    ['CSV', 'p.csv', 'Style,SKU,Name\nchair,0012,"Chair ""Oslo"", oak"\n'],
    ['CSV of Excel', 'p.csv', '\uFEFFStyle;SKU;Name\r\nchair;0012;"Chair ""Oslo"", oak"\r\n'],
    ['CSV of Excel with commas in a heading', 'p.csv', manyCommas],
    ['CSV of Excel with commas in quotes', 'p.csv', manyCommas.replace(/Size.*\)/, '"$&"')],
    ['TSV', 'p.tsv', 'Style\tSKU\tName\nchair\t0012\t"Chair ""Oslo"", oak"\n'],
    ['JSON Lines', 'p.jsonl', json],
    ['JSON Lines with a number', 'p.jsonl', json.replace('"0012"', '12')],
    ['a workbook', 'p.xlsx', workbook({ Products: rows })],
  ])('the same row is read from %s', async (name, path, content) => {
    const tables = table().replace('p.csv', path);
    const found = await open({ [path]: content }, tables, ['sku', 'name']);
    const sku = name.endsWith('number') ? '12' : '0012';
    expect(valuesOf(found, 'chair')).toEqual({ sku, name: 'Chair "Oslo", oak' });
  });
});

describe('a table in a workbook', () => {
  const formula = { xml: '<c t="str"><f>A1</f><v>SK-1</v></c>' };
  const date = { xml: '<c s="1"><v>46082</v></c>' };
  const padded = { xml: '<c s="2"><v>12</v></c>' };
  const head = ['Style', 'Value'];
  it.each<[what: string, cell: Cell, value: string]>([
    ['text with leading zeros', '0012', '0012'],
    ['a number', 129.9, '129.9'],
    ['a long number', 4006381333931, '4006381333931'],
    ['a number with its rounding error', { xml: '<c><v>0.28999999999999998</v></c>' }, '0.29'],
    ['a computed number', { xml: '<c><f>A1*1.19</f><v>23.799999999999997</v></c>' }, '23.8'],
    ['a number that is displayed as 0012', padded, '12'],
    ['a percentage', 0.25, '0.25'],
    ['a date', date, '2026-03-01'],
    ['a Boolean value', true, 'true'],
    ['the result of a formula', formula, 'SK-1'],
    ['nothing', null, ''],
  ])('a workbook cell is read as expected if it holds %s', async (_, cell, value) => {
    const files = { 'p.xlsx': workbook({ A: [head, ['chair', cell]] }) };
    const rows = await open(files, table().replace('.csv', '.xlsx'), ['value']);
    expect(valuesOf(rows, 'chair')).toEqual({ value });
  });

  const broken = { xml: '<c t="e"><f>VLOOKUP(A1,B:B,1)</f><v>#N/A</v></c>' };
  const neverComputed = { xml: '<c><f>UPPER(A1)</f><v></v></c>' };
  const shared = { xml: '<c s="1"><f t="shared" si="0"/></c>' };
  const emptyText = { xml: '<c t="str"><f>T(A1)</f><v></v></c>' };
  it.each<[what: string, cell: Cell, result: unknown]>([
    [
      'a cell with an error is refused',
      broken,
      /ROW_INVALID.*line 2.*contains a formula with the error #N\/A/,
    ],
    [
      'a formula without a result is refused',
      neverComputed,
      /ROW_INVALID.*contains a formula without a result/,
    ],
    [
      'a shared formula without a result is refused',
      shared,
      /ROW_INVALID.*contains a formula without a result/,
    ],
    ['a formula with an empty result is read as empty', emptyText, { value: '' }],
    [
      'a number too large for the date of its format is refused',
      { xml: '<c s="1"><v>4006381333931</v></c>' },
      /ROW_INVALID.*line 2.*contains a number that is not a date between 1900-03-01 and 9999-12-31/,
    ],
  ])('in a workbook, %s', async (_, cell, result) => {
    const files = { 'p.xlsx': workbook({ A: [head, ['chair', cell], ['lamp', 'a']] }) };
    const rows = await open(files, table().replace('.csv', '.xlsx'), ['value']);
    const found = valuesOf(rows, 'chair');
    if (result instanceof RegExp) expect(found).toMatch(result);
    else expect(found).toEqual(result);
    expect(valuesOf(rows, 'lamp')).toEqual({ value: 'a' });
  });

  it.each<[what: string, path: string, content: string | Buffer]>([
    ['a workbook', 'p.xlsx', workbook({ A: [head, ['chair', 'a'], [broken, 'b']] })],
    ['CSV', 'p.csv', 'Style,Value\nchair,a\n#N/A,b\n'],
  ])('an error value in a key column is refused in %s', async (_, path, content) => {
    const opening = open({ [path]: content }, table().replace('p.csv', path), ['value']);
    await expect(opening).rejects.toThrow(/line 3: contains a formula with the error #N\/A/);
  });

  const two = workbook({
    Notes: [['read me']],
    Products: [[], ['Style', 'Value'], [], ['chair', 'a'], ['chair', 'b']],
  });
  it('a workbook sheet is selected by name, and its rows are numbered as in the spreadsheet', async () => {
    const tables = table(', sheet: Products').replace('.csv', '.xlsx');
    const rows = await open({ 'p.xlsx': two }, tables, ['value']);
    expect(valuesOf(rows, 'chair')).toMatch(/ROW_AMBIGUOUS: .*: lines 4, 5$/);
  });

  const bomb = Buffer.from(zipSync({ 'xl/workbook.xml': new Uint8Array(300 * 1024 ** 2) }));
  const empty = new Uint8Array();
  const pictures = Array.from({ length: 2_001 }, (_, at) => [`xl/media/image${at}.png`, empty]);
  const crowded = Buffer.from(zipSync(Object.fromEntries(pictures)));
  it.each<[what: string, content: Buffer, sheet: string, message: RegExp]>([
    [
      'with 2,001 pictures',
      crowded,
      '',
      /contains more than 2000 files, such as pictures; save the/,
    ],
    [
      'that is another kind of file',
      Buffer.from('no workbook'),
      '',
      /cannot be read as a workbook/,
    ],
    ['of 300 MiB, compressed to 300 kB', bomb, '', /has more than 256 MiB when it is unpacked/],
    [
      'without the requested sheet',
      two,
      ', sheet: Prices',
      /cannot be read as a workbook: .*Prices/,
    ],
    ['whose sheet is empty', workbook({ A: [] }), '', /the sheet is empty/],
    ['without the requested column', two, ', sheet: Notes', /line 1: has no column "Style"/],
    ['that is truncated', two.subarray(0, two.length / 2), '', /cannot be read as a workbook/],
  ])('a workbook %s is refused', async (_, content, sheet, message) => {
    const tables = table(sheet).replace('.csv', '.xlsx');
    await expect(open({ 'p.xlsx': content }, tables, ['value'])).rejects.toThrow(message);
  });
});

describe('finding the row of an asset', () => {
  const files = {
    'p.csv': 'Style,SKU\nshoes/chair,A\nLamp,B\ncafe\u0301,C\n spaced ,D\n*.glb,E\n',
  };
  it.each<[what: string, more: string, key: string, sku: unknown]>([
    ['its key', '', 'shoes/chair', 'A'],
    ['its key in another case', '', 'lamp', 'B'],
    ['its key, in any Unicode form', '', 'caf\u00e9', 'C'],
    ['its key, ignoring spaces around the cell', '', 'spaced', 'D'],
    ['the name of its file', ', match: name', 'x/Lamp', 'B'],
    ['a glob over its path', ', match: glob', 'table', 'E'],
  ])('the row is found by %s', async (_, more, key, sku) => {
    const rows = await open(files, table(more), ['sku']);
    expect(valuesOf(rows, key)).toEqual({ sku });
  });

  it('the row is found by its path', async () => {
    const rows = await open({ 'p.csv': 'Style,SKU\na/b.glb,A\n' }, table(', match: path'), ['sku']);
    expect(valuesOf(rows, 'a/b')).toEqual({ sku: 'A' });
  });

  it('the row is found regardless of case, but only if exactly one key matches', async () => {
    const rows = await open({ 'p.csv': 'Style,SKU\nCHAIR,A\nChair,B\n' }, table(), ['sku']);
    expect(valuesOf(rows, 'Chair')).toEqual({ sku: 'B' });
    expect(valuesOf(rows, 'chair')).toMatch(/^ROW_MISSING/);
  });

  const nodes = [
    '{ id: grid, type: variant, parentIds: [ready], config: { colorways: [{ name: Oak, swapRules: [{ matchText: wood, matchMode: exact, material: Oak }] }] } }',
  ];
  const cell = (name: string): AssetSource => {
    const positions: Position[] = [{ dimension: 'colorway', name, payload: null }];
    return { ...sourceOf('chair'), cell: { group: 'chair', positions } };
  };
  it("the row is found by a cell's model and colorway", async () => {
    const key = '{ model: Style, colorway: Colour }';
    const tables = `{ p: { connector: models, path: p.csv, key: ${key} } }`;
    const content = 'Style,Colour,SKU\nchair,Oak,A\nchair,White,B\n';
    const rows = await open({ 'p.csv': content }, tables, ['sku'], { nodes });
    expect(valuesOf(rows, 'chair', cell('White'))).toEqual({ sku: 'B' });
    expect(valuesOf(rows, 'chair', cell('Red'))).toMatch(/no row for "chair", "Red"/);
  });

  it('the row is found by the model alone, for all its cells', async () => {
    const rows = await open({ 'p.csv': 'Style,SKU\nchair,A\n' }, table(), ['sku'], { nodes });
    expect(valuesOf(rows, 'chair', cell('Red'))).toEqual({ sku: 'A' });
  });
});

describe('the row of an asset', () => {
  it.each([
    ['fails', '', 'ROW_MISSING: table p (p.csv in memory) has no row for "stool"'],
    ['is skipped', ', withoutRow: skip', 'skipped'],
    ['gets empty columns', ', withoutRow: empty', { sku: '' }],
  ])('an asset without a row %s', async (_, more, expected) => {
    const rows = await open({ 'p.csv': 'Style,SKU\nchair,A\n' }, table(more), ['sku']);
    expect(valuesOf(rows, 'stool')).toEqual(expected);
  });

  it.each<[what: string, lines: string, expected: unknown]>([
    ['with identical rows gets their values', 'chair,A,1\nchair,A,2\n', { sku: 'A' }],
    [
      'with differing rows is refused, and the message lists their lines',
      'chair,A,1\nx,Y,1\nchair,B,1\n',
      'ROW_AMBIGUOUS: table p (p.csv in memory) has 2 rows for "chair" with different values of "SKU": lines 2, 4',
    ],
  ])('an asset %s', async (_, lines, expected) => {
    const rows = await open({ 'p.csv': `Style,SKU,Unread\n${lines}` }, table(), ['sku']);
    expect(valuesOf(rows, 'chair')).toEqual(expected);
  });

  const typed = ', columns: { v: { column: Value, type: TYPE } }';
  it.each<[type: string, text: string, value: unknown]>([
    ['number', '12.50', 12.5],
    ['number', '', null],
    ['number', '12,50', /line 2, column "Value": "12,50" is not a number; use a decimal point/],
    ['number', 'many', /"many" is not a number$/],
    ['boolean', 'Yes', true],
    ['boolean', '0', false],
    ['boolean', 'perhaps', /is neither true nor false/],
    ['date', '01.03.2026', '2026-03-01'],
    ['date', '2026-03-01T10:00', '2026-03-01'],
    ['date', '03/01/2026', /is not a date; write dates as 2026-03-01/],
    ['date', '2026-02-30', /is not a date/],
    ['text', ' 0012 ', '0012'],
  ])('a column of type %s handles the text "%s"', async (type, text, value) => {
    const content = `Style,Value\nchair,"${text}"\n`;
    const rows = await open({ 'p.csv': content }, table(typed.replace('TYPE', type)), ['v']);
    const found = valuesOf(rows, 'chair');
    if (value instanceof RegExp) expect(found).toMatch(value);
    else expect(found).toEqual({ v: value });
  });

  it.each<[type: string, text: string, result: unknown]>([
    ['text', '4.00638E+12', /line 2.*is a number whose last digits are missing/],
    ['text', '1,23457E+13', /line 2.*is a number whose last digits are missing/],
    ['text', '4E+12', /line 2.*is a number whose last digits are missing/],
    ['text', '12E4', { v: '12E4' }],
    ['number', '4.00638E+12', { v: 4_006_380_000_000 }],
  ])(
    'a cell of a column of type %s with %s has lost its digits, or not',
    async (type, text, result) => {
      const files = { 'p.csv': `Style;Value\nchair;${text}\n` };
      const found = valuesOf(await open(files, table(typed.replace('TYPE', type)), ['v']), 'chair');
      if (result instanceof RegExp) expect(found).toMatch(result);
      else expect(found).toEqual(result);
    },
  );

  it('a shortened number in a column of keys refuses the table', async () => {
    const opening = open({ 'p.csv': 'Style;Value\n4,00638E+12;a\n' }, table(), ['value']);
    await expect(opening).rejects.toThrow(/line 2: is a number whose last digits are missing/);
  });

  it('line breaks and other spaces in a heading count as one space', async () => {
    const files = { 'p.csv': 'Style;"SKU\n\u00a0Code "\nchair;A\n' };
    const columns = ', columns: { sku: { column: "SKU Code" } }';
    expect(valuesOf(await open(files, table(columns), ['sku']), 'chair')).toEqual({ sku: 'A' });
  });

  it('an asset gets the value under the heading that `columns` specifies, even if another heading is similar', async () => {
    const columns = ', columns: { sku: { column: "SKU $" } }';
    const rows = await open({ 'p.csv': 'Style,SKU €,SKU $\nchair,A,B\n' }, table(columns), ['sku']);
    expect(valuesOf(rows, 'chair')).toEqual({ sku: 'B' });
  });

  it('an asset is refused if its rows in all tables together are longer than 4,096 characters', async () => {
    const tables = `{ p: { connector: models, path: p.csv, key: Style }, q: { connector: models, path: q.csv, key: Style } }`;
    const long = 'x'.repeat(2_500);
    const files = {
      'p.csv': `Style,A\nchair,${long}\n`,
      'q.csv': `Style,B\nlamp,b\nchair,${long}\n`,
    };
    const rows = await open(files, tables, ['a', 'b']);
    expect(valuesOf(rows, 'lamp')).toMatch(/^ROW_MISSING/);
    expect(valuesOf(rows, 'chair')).toMatch(
      /^ROW_INVALID: .*p\.csv.*, line 2, and .*q\.csv.*, line 3: .*more than 4096 characters/,
    );
  });

  it('an asset whose row is longer than 4,096 characters is refused, and the message states its line', async () => {
    const content = `Style,SKU\nchair,${'x'.repeat(5_000)}\n`;
    const rows = await open({ 'p.csv': content }, table(), ['sku']);
    expect(valuesOf(rows, 'chair')).toMatch(/^ROW_INVALID: .*line 2: .*more than 4096 characters/);
  });
});

describe('tables before a run', () => {
  const other =
    '{ p: { connector: models, path: p.csv, key: Style }, q: { connector: models, path: q.csv, key: Style } }';
  it.each<[what: string, files: Record<string, string>, tables: string, message: RegExp]>([
    ['a missing table', {}, table(), /table p \(p.csv in memory\): the file does not exist/],
    [
      'a missing key column',
      { 'p.csv': 'Styl,SKU\n' },
      table(),
      /has no column "Style"; did you mean "Styl"/,
    ],
    [
      'a column that no table has',
      { 'p.csv': 'Style,SKUs\n' },
      table(),
      /row.sku is not a column of .*; did you mean "skus"/,
    ],
    [
      'a column that two tables have',
      { 'p.csv': 'Style,SKU\n', 'q.csv': 'Style,sku\n' },
      other,
      /row.sku is a column of two tables: "SKU" of table p .* and "sku" of table q/,
    ],
    [
      'two headings with the same name',
      { 'p.csv': 'Style,SKU,sku\n' },
      table(),
      /has two columns with the heading "SKU"/,
    ],
    [
      'two headings that match the name of a column',
      { 'p.csv': 'Style,SKU €,SKU $\n' },
      table(),
      /line 1: row.sku may be "SKU €" or "SKU \$"; give each of these columns a name under `columns`/,
    ],
    [
      'too many rows',
      { 'p.csv': `Style,SKU\n${'a,b\n'.repeat(200_001)}` },
      table(),
      /more than 200000 rows/,
    ],
    [
      'a list in a cell',
      { 'p.jsonl': '{"Style":"a","SKU":[1]}\n' },
      table().replace('csv', 'jsonl'),
      /line 1: contains a list/,
    ],
    ['an empty file', { 'p.csv': '' }, table(), /\(p\.csv in memory\): the file is empty; save/],
    ['another encoding', { 'p.csv': '\u0000S\u0000t' }, table(), /line 1: is probably UTF-16BE/],
  ])('%s is refused', async (_, files, tables, message) => {
    const opened = open(files, tables, ['sku']);
    await expect(opened).rejects.toThrow(message);
    await expect(opened).rejects.toBeInstanceOf(RunCauseError);
  });

  it('rows that belong to no asset are listed by line', async () => {
    const lines = Array.from({ length: 8 }, (_, at) => `m${at},${at}\n`).join('');
    const rows = await open({ 'p.csv': `Style,SKU\n${lines}` }, table(), ['sku']);
    rows.rowOf('m1', sourceOf('m1'));
    expect(rows.unusedWarnings('take')).toEqual([
      {
        key: 'take',
        message:
          'table p (p.csv in memory): 7 rows belong to no asset: lines 2, 4, 5, 6, 7 and 2 more',
      },
    ]);
  });

  it('the tables must not change while the run is listing its assets', async () => {
    const [one, other] = await Promise.all(
      ['A', 'AB'].map((sku) => open({ 'p.csv': `Style,SKU\nchair,${sku}\n` }, table(), ['sku'])),
    );
    expect(() => one?.assertVersion(one.version)).not.toThrow();
    expect(() => other?.assertVersion(one?.version ?? '')).toThrow(
      /changed while the run was listing/,
    );
  });

  it('a key can be created from a row that is found by path', async () => {
    const content = 'Style,SKU\nchair.glb,A\n';
    const key = '{{ row.sku }}';
    const rows = await open({ 'p.csv': content }, table(', match: path'), ['sku'], { key });
    expect(rows.isForKeys).toBe(true);
    expect(rows.rowOf(null, sourceOf('chair'))).toMatchObject({ row: { values: { sku: 'A' } } });
  });
});
