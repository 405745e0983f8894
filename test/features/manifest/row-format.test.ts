// The bytes of a manifest in each of its formats.
import { unzipSync } from 'fflate';
import { readSheet } from 'read-excel-file/node';
import { describe, expect, test } from 'vitest';
import {
  type FormatOptions,
  rowFormatOf,
  stageRows,
} from '../../../src/features/delivery/manifest/staged-rows.ts';
import type { RowValue } from '../../../src/plan/rows.ts';
import { MemoryBucket, MemoryConnector } from '../../connectors/_memory-connector.ts';

function textOf(path: string, more: Partial<FormatOptions>, ...rows: (string | number | null)[][]) {
  const plain = { headings: ['SKU', 'Bytes'], delimiter: ',', bom: false };
  const { start, row, end } = rowFormatOf({ ...plain, ...more, path });
  return [start, ...rows.map((cells, at) => row(cells, at === 0)), end].join('');
}

describe('a manifest in CSV', () => {
  test('a CSV file ends lines with CRLF (RFC 4180) and quotes the cells that need it', () => {
    const text = textOf('m.csv', {}, ['A,1', 5], ['say "x"', 6], ['two\nlines', 7], ['', null]);
    expect(text).toBe('SKU,Bytes\r\n"A,1",5\r\n"say ""x""",6\r\ntwo lines,7\r\n,\r\n');
  });

  test.each([
    [';', 'A;1', '"A;1"'],
    ['\t', 'A\t1', 'A 1'],
    ['\t', 'A,1', '"A,1"'],
  ])('a CSV file separated by %j writes %j as %s', (delimiter, sku, cell) => {
    expect(textOf('m.csv', { delimiter }, [sku, 5])).toBe(
      `SKU${delimiter}Bytes\r\n${cell}${delimiter}5\r\n`,
    );
  });

  test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '＝1'])(
    'a CSV file escapes the formula %j',
    (sku) => {
      expect(textOf('m.csv', {}, [sku, 5])).toMatch(/\r\n'.*,5\r\n$/);
    },
  );

  test('a CSV file does not escape numbers', () => {
    expect(textOf('m.csv', {}, ['A', -5])).toBe('SKU,Bytes\r\nA,-5\r\n');
  });

  test('a CSV file starts with a byte order mark if `bom` is set', () => {
    expect(textOf('m.csv', { bom: true })).toBe('\uFEFFSKU,Bytes\r\n');
  });
});

describe('a manifest in JSON', () => {
  test('a JSON manifest is an array of objects with typed values', () => {
    const text = textOf('m.json', {}, ['=A', 5], ['B', null]);
    expect(JSON.parse(text)).toEqual([
      { SKU: '=A', Bytes: 5 },
      { SKU: 'B', Bytes: null },
    ]);
    expect(text.split('\n')).toHaveLength(5);
  });

  test('a JSON manifest without files is an empty array', () => {
    expect(JSON.parse(textOf('m.json', {}))).toEqual([]);
  });

  test('a .jsonl manifest has one object per line', () => {
    expect(textOf('m.jsonl', {}, ['A', 5], ['B', 6])).toBe(
      '{"SKU":"A","Bytes":5}\n{"SKU":"B","Bytes":6}\n',
    );
  });
});

/** The bytes of a workbook. */
async function workbookOf(headings: string[], ...rows: RowValue[][]): Promise<Buffer> {
  const bucket = new MemoryBucket();
  const plain = { path: 'm.xlsx', headings, delimiter: ',', bom: false };
  const staged = await stageRows(new MemoryConnector(bucket), plain);
  for (const row of rows) await staged.add(row);
  await staged.end();
  await staged.commit({});
  await staged.discard();
  return bucket.files.get('m.xlsx')?.bytes ?? Buffer.alloc(0);
}

const sheetOf = (workbook: Buffer) =>
  Buffer.from(unzipSync(workbook)['xl/worksheets/sheet1.xml'] ?? []).toString();

describe('a manifest in a workbook', () => {
  test('a workbook has headings and typed cells, and omits empty cells', async () => {
    const workbook = await workbookOf(
      ['SKU', 'Bytes', 'Checked'],
      ['A', 5, true],
      ['', null, false],
    );
    expect(await readSheet(workbook)).toEqual([
      ['SKU', 'Bytes', 'Checked'],
      ['A', 5, true],
      [null, null, false],
    ]);
  });

  test.each<[what: string, text: string, read?: string]>([
    ['a GTIN with leading zeros', '00012345678905'],
    ['a number in scientific notation', '1e5'],
    ['a formula', '=1+1'],
    ["a formula in another program's syntax", '@SUM(A1)'],
    ['a sum', '+1-1'],
    ['a link', '=HYPERLINK("https://example.com";"x")'],
    ['markup', '<b>&amp;</b> "\' ]]>'],
    ['several lines', 'one\r\ntwo', 'one\ntwo'],
    ['spaces', 'a  b'],
    ['control characters', 'a\u0000b\u0007c', 'a b c'],
    ['rare characters', 'Stühle 椅子 🪑'],
  ])('a workbook stores %s as text', async (_what, text, read = text) => {
    const workbook = await workbookOf(['Text'], [text]);
    expect((await readSheet(workbook))[1]).toEqual([read]);
    expect(sheetOf(workbook)).not.toMatch(/<f[ >]/);
    // Format 1 is "text": a program that edits the cell keeps it as it is.
    expect(sheetOf(workbook)).toContain('<c r="A2" s="1" t="inlineStr">');
  });

  test('a workbook escapes text that looks like an encoded character', async () => {
    expect(sheetOf(await workbookOf(['Text'], ['A_x0041_B']))).toContain('>A_x005F_x0041_B<');
  });

  test('a workbook can have columns beyond Z', async () => {
    const headings = Array.from({ length: 703 }, (_, at) => `${at}`);
    const sheet = sheetOf(await workbookOf(headings));
    for (const at of ['Z1', 'AA1', 'AZ1', 'ZZ1', 'AAA1']) expect(sheet).toContain(`r="${at}"`);
  });

  test('a workbook truncates text at the maximum length of a cell', async () => {
    const workbook = await workbookOf(['Text'], ['x'.repeat(40_000)]);
    expect(String((await readSheet(workbook))[1]?.[0])).toHaveLength(32_767);
  });
});
