// Tables as spreadsheets and other programs save them.
import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { findColumnIndex, readTable } from '../../src/tables/read-table.ts';
import type { ReadRow } from '../../src/tables/table-reader.ts';
import { type Cell, workbook } from '../engine/_workbook.ts';

async function rowsOf(path: string, bytes: Uint8Array, sheet?: string): Promise<string[]> {
  const rows: ReadRow[] = [];
  const bounds = { maxRows: 100, maxCells: 1_000 };
  const choose = ({ names }: { names: readonly string[] }) => names.map((_, at) => at);
  await readTable({ bytes, path, sheet }, { ...bounds, choose, take: (row) => rows.push(row) });
  return rows.map(({ line, values }) => `${line}: ${values.join('|')}`);
}

it.each<[what: string, text: string, rows: string[]]>([
  ['CRLF, then LF', 'a,b\r\n1,2\n3,4\r\n', ['2: 1|2', '3: 3|4']],
  ['LF, then CRLF', 'a,b\n1,2\r\n3,4\n', ['2: 1|2', '3: 3|4']],
  ['CR', 'a,b\r1,2\r3,4\r', ['2: 1|2', '3: 3|4']],
  ['CRLF, and LF in quotes', 'a,b\r\n"1\n1",2\r\n3,4\r\n', ['3: 1\n1|2', '4: 3|4']],
  ['CRLF, also in quotes', '"a\r\n",b\r\n"1\r\n1",2\r\n3,4\r\n', ['4: 1\r\n1|2', '5: 3|4']],
])('a CSV file may end its lines with %s', async (_, text, rows) => {
  expect(await rowsOf('p.csv', strToU8(text))).toEqual(rows);
});

it('headings are compared without the characters that nobody sees', () => {
  const names = ['\uFEFFSea\u200Bson', 'Colour\u00A0 name', 'So\u00ADfa'];
  for (const [index, heading] of ['season', 'colour name', 'SOFA'].entries())
    expect(findColumnIndex(heading, { names, line: 1 })).toBe(index);
});

it('a quote that does not end is reported at the row in which it begins', async () => {
  const text = 'SKU;Size\r\n1;"S\r\nM"\r\n2;"5 wide\r\n3;x\r\n4;y\r\n';
  await expect(rowsOf('p.csv', strToU8(text))).rejects.toThrow(
    /^the row after line 3: a quote begins a cell and does not end; write a quote in a cell twice/,
  );
});

/** A workbook after a change of its XML. */
function edited(
  bytes: Uint8Array,
  change: (xml: string) => string,
  changeStyles = (xml: string) => xml,
): Uint8Array {
  const parts = Object.entries(unzipSync(bytes)).map(([path, part]) => [
    path,
    strToU8((path === 'xl/styles.xml' ? changeStyles : change)(strFromU8(part))),
  ]);
  return zipSync(Object.fromEntries(parts));
}

function changed(
  cells: Cell[],
  ...changes: [change: (xml: string) => string, styles?: (xml: string) => string]
) {
  return edited(workbook({ A: [['h'], ...cells.map((cell) => [cell])] }), ...changes);
}

describe('a workbook', () => {
  const at = (days: number): Cell => ({ xml: `<c s="1"><v>${days}</v></c>` });

  it('a workbook is read with times to the second', async () => {
    const bytes = changed([at(46082.354166666664), at(46082.999988425923)], (xml) => xml);
    expect(await rowsOf('p.xlsx', bytes)).toEqual([
      '2: 2026-03-01 08:30:00',
      '3: 2026-03-01 23:59:59',
    ]);
  });

  it.each([4006381333931, 20260301])(
    'a workbook is read although a cell with the format of a date holds the number %i',
    async (number) => {
      const bytes = changed([at(46082), at(number)], (xml) => xml);
      expect(await rowsOf('p.xlsx', bytes)).toEqual(['2: 2026-03-01', '3: #DATE!']);
    },
  );

  // Excel shows 1 as 1900-01-01, LibreOffice as 1899-12-31. An empty cell whose date a formula copies is 0.
  it.each([
    [0, '#DATE!'],
    [1, '#DATE!'],
    [60, '#DATE!'],
    [-1, '#DATE!'],
    [61, '1900-03-01'],
  ])('a workbook is read with the day %i as %s', async (days, text) => {
    expect(
      await rowsOf(
        'p.xlsx',
        changed([at(days)], (xml) => xml),
      ),
    ).toEqual([`2: ${text}`]);
  });

  it.each([
    ['1', '2026-03-01'],
    ['true', '2026-03-01'],
    ['false', '2022-02-28'],
  ])('a workbook respects the flag "%s" for dates since 1904', async (flag, date) => {
    const bytes = changed([at(44620)], (xml) =>
      xml.replace('<sheets>', `<workbookPr date1904="${flag}"/><sheets>`),
    );
    expect(await rowsOf('p.xlsx', bytes)).toEqual([`2: ${date}`]);
  });

  const formats = [
    'h:mm',
    'hh:mm:ss',
    'h:mm AM/PM',
    'mm:ss.0',
    '[h]:mm',
    'hh&quot; Uhr &quot;mm',
    '[$-409]h:mm\\ AM/PM;@',
    'yyyy-mm-dd hh:mm',
    'd',
  ];
  it.each<[what: string, days: number, format: string | number, text: string]>([
    ['14:30', 0.6041666666666666, 'h:mm', '14:30'],
    ['midnight', 0, 'h:mm', '0:00'],
    ['seconds', 0.354166666666667, 'hh:mm:ss', '08:30:00'],
    ['12-hour time', 0.6041666666666666, 'h:mm AM/PM', '2:30 PM'],
    ['12-hour time of a language', 0.0208333333333333, '[$-409]h:mm\\ AM/PM;@', '12:30 AM'],
    ['tenths of a second', 0.001042, 'mm:ss.0', '01:30.0'],
    ['a duration above a day', 1.0625, '[h]:mm', '25:30'],
    ['words in quotes', 0.6041666666666666, 'hh&quot; Uhr &quot;mm', '14 Uhr 30'],
    ['the format 20', 0.6041666666666666, 20, '14:30'],
    ['the format 46', 1.0625, 46, '25:30:00'],
    ['a format with a date', 0.6041666666666666, 'yyyy-mm-dd hh:mm', '14:30:00'],
    ['a day that the format hides', 46082.354166666664, 'h:mm', '2026-03-01 08:30:00'],
    ['a date without a time', 46082, 'd', '2026-03-01'],
  ])(
    'a workbook is read with times as a spreadsheet shows them: %s',
    async (_, days, format, text) => {
      for (const epoch of ['0', '1']) {
        if (epoch === '1' && (days > 2 || format === 'yyyy-mm-dd hh:mm')) continue;
        const id = typeof format === 'number' ? format : 170 + formats.indexOf(format);
        const xf = `<xf numFmtId="${id}" applyNumberFormat="1"/>`;
        const bytes = changed(
          [{ xml: `<c s="3"><f>B1</f><v>${days}</v></c>` }],
          (xml) => xml.replace('<sheets>', `<workbookPr date1904="${epoch}"/><sheets>`),
          (styles) =>
            styles
              .replace(
                '</numFmts>',
                `${formats.map((code, at) => `<numFmt numFmtId="${170 + at}" formatCode="${code}"/>`).join('')}</numFmts>`,
              )
              .replace('</cellXfs>', `${xf}</cellXfs>`),
        );
        expect(await rowsOf('p.xlsx', bytes)).toEqual([`2: ${text}`]);
      }
    },
  );

  it.each<[what: string, drop: RegExp]>([
    ['cells', /(?<=<c) r="[^"]*"/g],
    ['cells and rows', /(?<=<(?:c|row)) r="[^"]*"/g],
    ['cells after the first of a row', /(?<=<c) r="[B-Z]\d+"/g],
    ['rows', /(?<=<row) r="[^"]*"/g],
  ])('a workbook without addresses for %s is read in the order of its cells', async (_, drop) => {
    const bytes = changed(['a', 1, { xml: '<c/>' }, { xml: '<c t="str"><v>b</v></c>' }], (xml) =>
      xml
        .replace(/<c r="A(\d+)"/g, '<c r="A$1" t="str"><v>x$1</v></c><c r="B$1"')
        .replace(drop, ''),
    );
    expect(await rowsOf('p.xlsx', bytes)).toEqual(['2: x2|a', '3: x3|1', '4: x4|', '5: x5|b']);
  });

  it('a workbook with a gap before cells without addresses keeps the gap', async () => {
    const bytes = changed([], (xml) =>
      xml.replace(
        /<row.*<\/row>/,
        '<row r="3"><c t="str"><v>h</v></c><c r="AB3" t="str"><v>i</v></c><c t="str"><v>j</v></c></row><row r="7"><c r="AA7"><v>1</v></c><c><v>2</v></c><c><v>3</v></c></row>',
      ),
    );
    expect(await rowsOf('p.xlsx', bytes)).toEqual([`7: ${'|'.repeat(26)}1|2|3`]);
  });

  const merged = (...refs: string[]) => {
    const cells = `<mergeCells>${refs.map((ref) => `<mergeCell ref="${ref}"/>`).join('')}</mergeCells>`;
    return (xml: string) => xml.replace('</sheetData>', `</sheetData>${cells}`);
  };
  it.each<[what: string, refs: string[], rows: string[]]>([
    ['down', ['A2:A4'], ['2: chair|1', '3: chair|2', '4: chair|3']],
    ['down and across', ['A2:B3'], ['2: chair|1', '3: chair|2', '4: |3']],
    ['across', ['A2:B2'], ['2: chair|1', '3: |2', '4: |3']],
    ['down from the headings', ['A1:A3'], ['2: chair|1', '3: |2', '4: |3']],
    ['past the last row', ['A3:A900'], ['2: chair|1', '3: |2', '4: |3']],
  ])('a workbook with cells that are merged %s', async (_, refs, rows) => {
    const table = workbook({
      A: [
        ['Style', 'Size'],
        ['chair', 1],
        [null, 2],
        [null, 3],
      ],
    });
    expect(await rowsOf('p.xlsx', edited(table, merged(...refs)))).toEqual(rows);
  });

  it('of a workbook, the first sheet that is not hidden is read', async () => {
    const two = workbook({ 'Old & hidden': [['x'], ['y']], Products: [['Style'], ['chair']] });
    const hide = (xml: string) => xml.replace('sheetId="1"', 'sheetId="1" state="veryHidden"');
    expect(await rowsOf('p.xlsx', edited(two, hide))).toEqual(['2: chair']);
  });

  it.each([
    ['Chairs &amp; Söfas', 'Chairs & Söfas'],
    ["Men's shoes", "Men's shoes"],
  ])('the sheet %s is found by the name that the spreadsheet shows', async (inFile, name) => {
    const two = workbook({ A: [['x'], ['y']], [inFile]: [['Style'], ['chair']] });
    expect(await rowsOf('p.xlsx', two, name)).toEqual(['2: chair']);
  });

  const office =
    'http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument';
  const rootLink = (path: string) =>
    `<Relationships><Relationship Id="w" Type="${office}" Target="${path}"/></Relationships>`;
  it.each<[what: string, paths: Record<string, string>, links?: Record<string, string>]>([
    [
      'in other folders',
      {
        'xl/workbook.xml': 'book/main.xml',
        'xl/_rels/workbook.xml.rels': 'book/_rels/main.xml.rels',
        'xl/styles.xml': 'book/styles.xml',
        'xl/worksheets/sheet0.xml': 'book/worksheets/sheet0.xml',
        'xl/worksheets/sheet1.xml': 'book/worksheets/sheet1.xml',
        'root.rels': '_rels/.rels',
      },
    ],
    [
      'that relationships name relative to another folder',
      { 'xl/worksheets/sheet1.xml': 'data/b.xml', 'xl/styles.xml': 'xl/look/a.xml' },
      { 'worksheets/sheet1.xml': '../data/b.xml', 'styles.xml': './look/a.xml' },
    ],
    [
      'beside the workbook, by absolute paths',
      { 'xl/worksheets/sheet1.xml': 'xl/b.xml' },
      { 'worksheets/sheet1.xml': '/xl/b.xml' },
    ],
    ['in another case', { 'xl/worksheets/sheet1.xml': 'xl/Worksheets/Sheet1.XML' }],
    ['by a path with a dot', {}, { 'worksheets/sheet1.xml': './worksheets/sheet1.xml' }],
  ])('a workbook is read although its parts are %s', async (_, paths, links = {}) => {
    const cells: Cell[] = ['h', at(46082.5), { xml: '<c t="e"><v>#N/A</v></c>' }];
    const book = workbook({ Other: [['x']], Products: cells.map((cell) => [cell]) });
    const parts = Object.entries({
      ...unzipSync(book),
      'root.rels': strToU8(rootLink('book/main.xml')),
    });
    const moved = parts.map(([path, part]) => {
      let text = strFromU8(part);
      for (const [from, to] of Object.entries(links)) text = text.replace(`"${from}"`, `"${to}"`);
      return [paths[path] ?? path, strToU8(text)];
    });
    const bytes = zipSync(Object.fromEntries(moved));
    expect(await rowsOf('p.xlsx', bytes, 'Products')).toEqual([
      '2: 2026-03-01 12:00:00',
      '3: #N/A',
    ]);
  });

  it.each(['p.xlsm', 'p.XLSM', 'p.csv', 'p.tsv', 'p.jsonl'])(
    'a workbook with the name %s is read as a workbook',
    async (path) => {
      const bytes = workbook({ A: [['Style'], ['chair']] });
      expect(await rowsOf(path, bytes)).toEqual(['2: chair']);
    },
  );

  it('an old workbook with the name of a CSV file says how it must be saved', async () => {
    await expect(rowsOf('p.csv', Buffer.from('d0cf11e0a1b11ae1', 'hex'))).rejects.toThrow(
      'is a workbook in the old format (.xls) or with a password; save it as .xlsx without a password',
    );
  });

  it('a file of another spreadsheet that is named .xlsx says in which format it must be saved', async () => {
    for (const path of ['content.xml', 'xl/workbook.bin', 'Index/Document.iwa'])
      await expect(rowsOf('p.xlsx', zipSync({ [path]: strToU8('x') }))).rejects.toThrow(
        'contains no sheets in the format of .xlsx; open it in the program that wrote it, and save it as .xlsx or CSV',
      );
  });

  it('a workbook with a namespace prefix reports errors, and formulas without a result', async () => {
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
