// Rows of workbooks (XLSX): the values of cells, and the workbooks that are refused.
import { zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { open, table, valuesOf } from './_rows.ts';
import { type Cell, workbook } from './_workbook.ts';

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
    ['a number that is displayed as 0012', padded, '0012'],
    ['a number with more digits than its format', { xml: '<c s="2"><v>12345</v></c>' }, '12345'],
    ['a fraction whose format has no decimals', { xml: '<c s="2"><v>1.5</v></c>' }, '1.5'],
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
    await expect(opening).rejects.toThrow(
      /line 3, column "Style": contains a formula with the error #N\/A/,
    );
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
      /has no sheet "Prices"; its sheets are Notes, Products/,
    ],
    ['whose sheet is empty', workbook({ A: [] }), '', /the sheet "A" is empty/],
    [
      'without the requested column',
      two,
      '',
      /sheet "Notes", line 1: has no column "Style"; its columns are read me; the headings must be in the first line that is not empty \(other sheets: Products\)/,
    ],
    [
      'in the format of 2003, or with a password',
      Buffer.from('d0cf11e0a1b11ae1', 'hex'),
      '',
      /is a workbook in the old format \(\.xls\) or with a password; save it as \.xlsx/,
    ],
    ['that is truncated', two.subarray(0, two.length / 2), '', /cannot be read as a workbook/],
  ])('a workbook %s is refused', async (_, content, sheet, message) => {
    const tables = table(sheet).replace('.csv', '.xlsx');
    await expect(open({ 'p.xlsx': content }, tables, ['value'])).rejects.toThrow(message);
  });
});
