// Rows of tables (`data:`): which row belongs to an asset, the values of the row, and the tables and rows that are
// refused.
import { describe, expect, it } from 'vitest';
import { RunCauseError } from '../../src/engine/engine-errors.ts';
import { identifierOf } from '../../src/language/column-name.ts';
import type { Position } from '../../src/plan/grid.ts';
import type { AssetSource } from '../../src/plan/types.ts';
import { sourceOf } from '../store/_store.ts';
import { open, table, valuesOf } from './_rows.ts';
import { type Cell, workbook } from './_workbook.ts';

describe('table headings in expressions', () => {
  it.each([
    ['SKU', 'sku'],
    ['Colour name', 'colour_name'],
    ['Größe (mm)', 'gro_e_mm'],
    ['Année', 'annee'],
    ['\uFEFFSea\u200Bson', 'season'],
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
    await expect(opening).rejects.toThrow(
      /line 2, column "Style": is a number whose last digits are missing/,
    );
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
