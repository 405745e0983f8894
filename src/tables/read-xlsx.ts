// Reads a sheet of a workbook (XLSX) in a separate process.
import { createRequire } from 'node:module';
import { TableError } from './table-error.ts';
import { runTableProcess } from './table-process.ts';
import type { ReadRow, TableFile, TableReader } from './table-reader.ts';
import { repairScript } from './xlsx-repairs.ts';

/** Maximum size of all parts of a workbook together, unpacked, because a small file may claim to hold gigabytes. */
export const maxUnpackedBytes = 256 * 1024 ** 2;
/** Maximum number of parts of a workbook. A picture counts as one. */
export const maxWorkbookParts = 2_000;

// A number becomes the text that a spreadsheet shows without a format, or with leading zeros, a date becomes 2026-03-01,
// and a time without a day becomes the text of its format, such as 14:30. Cells that are merged over several rows below
// the headings have their value in each row.
const script = `${repairScript}
const fflate = require(request.unzip);
const { readSheet } = require(request.reader);
const { bytes, sheet, maxBytes, maxWorkbookParts, maxRows, maxCells } = request;
const fail = (wrong) => send({ wrong });
// Spreadsheets show 15 digits, so that the result 0.30000000000000004 of a formula is read as 0.3.
const numberText = (text) => (/^-?\\d+$/.test(text) ? text : String(Number(Number(text).toPrecision(15))));
const endOfDates = Date.UTC(10_000, 0, 1);
// Spreadsheets disagree about earlier days, because Excel counts a 29 February 1900. Day 0 is an empty cell's date.
const startOfDates = Date.UTC(1900, 2, 1);
const dayWithoutDate = Date.UTC(1899, 11, 30);
function dateText(date) {
  // A time is stored as a fraction of a day, so that 08:30 is read as 08:29:59.999.
  const ms = Math.round(date / 1_000) * 1_000;
  const isTime = ms > dayWithoutDate && ms < dayWithoutDate + 86_400_000;
  if (!(isTime || (ms >= startOfDates && ms < endOfDates))) return '#DATE!';
  const text = new Date(ms).toISOString();
  if (text.endsWith('T00:00:00.000Z')) return text.slice(0, 10);
  // A fraction of a day without a day, in a format that does not show only a time.
  return text.slice(0, 19).replace('T', ' ').replace('1899-12-30 ', '');
}
function cellText(value) {
  if (value === null || value === undefined) return '';
  return value instanceof Date ? dateText(value) : String(value);
}
async function read() {
  let unpacked = 0;
  let parts = 0;
  fflate.unzipSync(bytes, {
    filter: ({ originalSize }) => {
      unpacked += originalSize;
      parts += 1;
      return false;
    },
  });
  if (unpacked > maxBytes)
    return fail('has more than ' + maxBytes / 1024 ** 2 + ' MiB when it is unpacked; delete what is not needed');
  if (parts > maxWorkbookParts)
    return fail('contains more than ' + maxWorkbookParts + ' files, such as pictures; save the sheet in a separate workbook');
  const usual = withUsualPaths(bytes, fflate);
  const { number, names, merged } = findSheet(usual, sheet, fflate);
  if (names.length === 0)
    return fail('contains no sheets in the format of .xlsx; open it in the program that wrote it, and save it as .xlsx or CSV');
  if (number === 0)
    return fail('has no sheet "' + sheet + '"; its sheets are ' + names.join(', ').slice(0, 200));
  const { buffer, byteOffset, byteLength } = repairWorkbook(usual, fflate);
  const file = buffer.slice(byteOffset, byteOffset + byteLength);
  const cells = await readSheet(file, number, { parseNumber: numberText });
  const width = cells[0]?.length ?? 0;
  if (cells.length * width > maxCells)
    return fail('has more than ' + maxCells + ' cells; delete empty rows and columns');
  const isFilled = (row) => row.some((value) => value !== null && value !== '');
  const head = cells.findIndex(isFilled);
  if (head === -1) return fail('the sheet "' + names[number - 1] + '" is empty');
  const rows = cells.flatMap((row, at) => (at > head && isFilled(row) ? [at] : []));
  if (rows.length > maxRows) return fail('has more than ' + maxRows + ' rows; delete rows that are not needed');
  for (const { top, bottom, column } of merged)
    for (let at = top + 1; top > head && at <= bottom && at < cells.length; at += 1) cells[at][column] ??= cells[top][column];
  process.once('message', (wanted) => {
    const values = (row) => wanted.map((at) => cellText(row[at]));
    for (let from = 0; from < rows.length; from += 2_000) {
      const some = rows.slice(from, from + 2_000);
      send({ rows: some.map((at) => ({ line: at + 1, values: values(cells[at]) })) });
    }
    send({ isEnd: true });
  });
  send({ names: cells[head].map(cellText), line: head + 1, sheets: [names[number - 1], ...names.toSpliced(number - 1, 1)] });
}
read().catch((error) => {
  const fix = '; open it in a spreadsheet, and save it as .xlsx';
  fail('cannot be read as a workbook: ' + String(error.message).slice(0, 200) + fix);
});
`;

/** First bytes of workbooks before Excel 2007, and of workbooks with a password. */
const oldWorkbook = Buffer.from('d0cf11e0', 'hex');
const zipFile = Buffer.from('504b0304', 'hex');

/** True for the bytes of a workbook, which may be saved under the name of a text file. */
export function isWorkbook(bytes: Uint8Array): boolean {
  return [oldWorkbook, zipFile].some((start) => start.equals(bytes.subarray(0, 4)));
}

type Message =
  | { names: string[]; line: number; sheets: string[] }
  | { rows: ReadRow[] }
  | { isEnd: true };

/** @throws TableError for a file that is not a workbook, a sheet that it lacks, or a table that exceeds the bounds */
export async function readXlsxRows(
  { bytes, sheet }: Omit<TableFile, 'path'>,
  { choose, take, maxRows, maxCells }: TableReader,
): Promise<void> {
  if (oldWorkbook.equals(bytes.subarray(0, 4)))
    throw new TableError(
      'is a workbook in the old format (.xls) or with a password; save it as .xlsx without a password',
    );
  if (bytes[0] !== 0x50 || bytes[1] !== 0x4b)
    throw new TableError(
      'cannot be read as a workbook, because it has another format; open it in a spreadsheet, and save it as .xlsx',
    );
  const { resolve } = createRequire(import.meta.url);
  const request = {
    bytes,
    sheet,
    unzip: resolve('fflate'),
    reader: resolve('read-excel-file/universal'),
    maxBytes: maxUnpackedBytes,
    maxWorkbookParts,
    maxRows,
    maxCells,
  };
  await runTableProcess({ script, request, instead: 'CSV' }, (posted, child) => {
    // The cast is safe, because the program above posts nothing else.
    const message = posted as Message;
    if ('isEnd' in message) return true;
    if ('rows' in message) {
      for (const row of message.rows) take(row);
      return undefined;
    }
    const { names, line, sheets } = message;
    child.send([...choose({ names: names.map((name) => name.trim()), line, sheets })]);
    return undefined;
  });
}
