// Tables as spreadsheets and other programs save them.
import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { readTable } from '../../src/tables/read-table.ts';
import type { ReadRow } from '../../src/tables/table-reader.ts';
import { type Cell, workbook } from '../engine/_workbook.ts';

async function rowsOf(path: string, bytes: Uint8Array): Promise<string[]> {
  const rows: ReadRow[] = [];
  const bounds = { maxRows: 100, maxCells: 1_000 };
  const choose = ({ names }: { names: readonly string[] }) => names.map((_, at) => at);
  await readTable({ bytes, path }, { ...bounds, choose, take: (row) => rows.push(row) });
  return rows.map(({ line, values }) => `${line}: ${values.join('|')}`);
}

it.each<[what: string, text: string, rows: string[]]>([
  ['CRLF, then LF', 'a,b\r\n1,2\n3,4\r\n', ['2: 1|2', '3: 3|4']],
  ['LF, then CRLF', 'a,b\n1,2\r\n3,4\n', ['2: 1|2', '3: 3|4']],
  ['CR', 'a,b\r1,2\r3,4\r', ['2: 1|2', '3: 3|4']],
  ['CRLF, and LF in quotes', 'a,b\r\n"1\n1",2\r\n3,4\r\n', ['3: 1\n1|2', '4: 3|4']],
])('CSV may end its lines with %s', async (_, text, rows) => {
  expect(await rowsOf('p.csv', strToU8(text))).toEqual(rows);
});

/** The workbook after a change of its XML. */
function changed(cells: Cell[], change: (xml: string) => string): Uint8Array {
  const parts = unzipSync(workbook({ A: [['h'], ...cells.map((cell) => [cell])] }));
  const edited = Object.entries(parts).map(([path, bytes]) => [
    path,
    path === 'xl/styles.xml' ? bytes : strToU8(change(strFromU8(bytes))),
  ]);
  return zipSync(Object.fromEntries(edited));
}

describe('a workbook', () => {
  const at = (days: number): Cell => ({ xml: `<c s="1"><v>${days}</v></c>` });

  it('gives times to the second', async () => {
    const bytes = changed([at(46082.354166666664), at(46082.999988425923)], (xml) => xml);
    expect(await rowsOf('p.xlsx', bytes)).toEqual([
      '2: 2026-03-01 08:30:00',
      '3: 2026-03-01 23:59:59',
    ]);
  });

  it.each([
    ['1', '2026-03-01'],
    ['true', '2026-03-01'],
    ['false', '2022-02-28'],
  ])('whose dates count from 1904, "%s", gives them', async (flag, date) => {
    const bytes = changed([at(44620)], (xml) =>
      xml.replace('<sheets>', `<workbookPr date1904="${flag}"/><sheets>`),
    );
    expect(await rowsOf('p.xlsx', bytes)).toEqual([`2: ${date}`]);
  });

  it('with a namespace prefix names errors, and formulas without a result', async () => {
    const cells = [
      { xml: '<c t="e"><f>1/0</f><v>#DIV/0!</v></c>' },
      { xml: '<c><f>A1</f></c>' },
      { xml: '<c s="1"><f t="shared" si="0"/><v></v></c>' },
      'a',
    ];
    const bytes = changed(cells, (xml) =>
      xml
        .replace(/<(\/?)(worksheet|sheetData|row|c|is|t|v|f)\b/g, '<$1x:$2')
        .replace('<x:worksheet xmlns=', '<x:worksheet xmlns:x='),
    );
    expect(await rowsOf('p.xlsx', bytes)).toEqual([
      '2: #DIV/0!',
      '3: #UNCOMPUTED!',
      '4: #UNCOMPUTED!',
      '5: a',
    ]);
  });
});
