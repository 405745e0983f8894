// Fuzzes colorway tables. A valid table is read as it was written. Others are read or refused, within limits.
import fc from 'fast-check';
import {
  maxCellValueLength,
  maxRows,
  readColorwayTable,
  type TableRow,
} from '../../src/features/variants/grid/colorway-table.ts';
import { TableError } from '../../src/tables/table-error.ts';
import { assertAtMost, textOf } from './arbitraries.ts';

/** Maximum length of an error message, which shows five lines with the values of their cells. */
const maxMessageLength = 5 * 4 * maxCellValueLength;

const head = 'model,colorway,slot,material';
const parts = [
  head,
  head.replaceAll(',', ';'),
  'sep=|',
  'sep=;',
  'model|tag|colorway|slot|material',
  '"',
  '""',
  "'",
  ',',
  ';',
  '\t',
  '|',
  '\n',
  '\r\n',
  '\r',
  ' ',
  '\uFEFF',
  '\0',
  '{',
  '}',
  '[',
  ']',
  ':',
  '\\',
  '\\u0000',
  'null',
  '1e999',
  '-0',
  '{"model":"a"',
  'a,Oak,seat,Walnut\n',
  '{"model":"a","colorway":"b","slot":"c","material":"d"}\n',
  '=1+1',
  '*',
  '{a,b}',
  'é',
  '🪑',
  'x',
];
const noise = textOf(parts, 200_000);

const encodings = {
  'utf-8': (text: string) => Buffer.from(text),
  'utf-8 with a mark': (text: string) => Buffer.from(`\uFEFF${text}`),
  'utf-16le': (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le'),
  'utf-16be': (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le').swap16(),
};

type Encoding = keyof typeof encodings;
const encoding = fc.constantFrom(...(Object.keys(encodings) as Encoding[]));
const broken = (text: string) => Buffer.from(text, 'latin1');

async function holds(text: string, encode: (text: string) => Buffer, path: string): Promise<void> {
  try {
    const rows = await readColorwayTable({ bytes: encode(text), path });
    assertAtMost(rows.length, maxRows, 'rows');
    for (const { line, ...values } of rows) {
      if (line < 1 || line > text.length + 1) throw new Error(`there is no line ${line}`);
      for (const value of Object.values(values))
        assertAtMost(value.length, maxCellValueLength, 'characters');
    }
  } catch (error) {
    if (!(error instanceof TableError)) throw error;
    assertAtMost(error.message.length, maxMessageLength, 'characters of a message');
  }
}

const word = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
  .map((text) => text.trim().normalize('NFC'))
  .filter((text) => text !== '');
/** Colorway names have additional rules. */
const name = fc.stringMatching(/^[A-Za-z][A-Za-z0-9 ]{0,10}[A-Za-z]$/);
const validTable = fc.record({
  rows: fc.uniqueArray(fc.record({ model: word, colorway: name, slot: word, material: word }), {
    minLength: 1,
    maxLength: 20,
    selector: ({ model, slot }) => JSON.stringify([model, slot]),
  }),
  delimiter: fc.constantFrom(',', ';', '\t', '|'),
  lineEnd: fc.constantFrom('\n', '\r\n'),
  encoding,
});

const columns = ['model', 'colorway', 'slot', 'material'] as const;

/** Checks that a saved spreadsheet is read unchanged. */
async function comesBack({
  rows,
  delimiter,
  lineEnd,
  encoding: encodingName,
}: {
  rows: readonly Omit<TableRow, 'line' | 'tag'>[];
  delimiter: string;
  lineEnd: string;
  encoding: Encoding;
}): Promise<void> {
  const names = new Map(rows.map(({ colorway }) => [colorway.toLowerCase(), colorway]));
  const expectedRows = rows.map((row) => ({
    ...row,
    colorway: names.get(row.colorway.toLowerCase()) ?? '',
  }));
  const lines = [
    ...(delimiter === '|' ? [`sep=${delimiter}`] : []),
    columns.join(delimiter),
    ...expectedRows.map((row) =>
      columns.map((column) => `"${row[column].replaceAll('"', '""')}"`).join(delimiter),
    ),
  ];
  const text = lines.map((line) => line + lineEnd).join('');
  const json = expectedRows.map((row) => `${JSON.stringify(row)}\n`).join('');
  for (const [path, content] of [
    ['a.csv', text],
    ['a.jsonl', json],
  ] as const) {
    const tableRows = await readColorwayTable({ bytes: encodings[encodingName](content), path });
    const values = tableRows.map(({ line: _line, ...row }) => row);
    if (JSON.stringify(values.map(inOrder)) !== JSON.stringify(expectedRows.map(inOrder)))
      throw new Error(`${path} comes back as ${JSON.stringify(values)}`);
  }
}

const inOrder = (row: Omit<TableRow, 'line' | 'tag'>) => columns.map((column) => row[column]);

const path = fc.constantFrom('a.csv', 'a.jsonl');
export const tables = fc.asyncProperty(
  fc.oneof(
    fc.tuple(noise, encoding, path).map((drawn) => () => {
      const [text, encodingName, tablePath] = drawn;
      return holds(text, encodings[encodingName], tablePath);
    }),
    fc.tuple(noise, path).map(
      ([text, tablePath]) =>
        () =>
          holds(text, broken, tablePath),
    ),
    validTable.map((drawn) => () => comesBack(drawn)),
  ),
  (play) => play(),
);
