// Reads the rows of a table: CSV with the delimiter of any locale, TSV, JSON Lines, or a workbook (XLSX, or
// XLSM, whose macros are never run).
import { setImmediate } from 'node:timers/promises';
import type { Options } from 'csv-parse/sync';
import { type CsvRequest, parseCsv } from './parse-csv.ts';
import { isWorkbook, readXlsxRows } from './read-xlsx.ts';
import { formatHeadingPlace, TableError } from './table-error.ts';
import type { TableBounds, TableFile, TableHeadings, TableReader } from './table-reader.ts';
import { toTableUtf8 } from './table-text.ts';

const maxRowChars = 20_000;
const delimiters = [',', ';', '\t', '\r', '\n'];
const jsonDelimiters = [',', ':', '[', '{', '\r', '\n'];
/** Size of the start of a CSV file that must contain the beginning of the headings. */
const maxHeadBytes = 1024 * 1024;
/** Number of JSON lines that are parsed before the event loop may continue. */
const linesAtOnce = 1_000;
/** Maximum number of distinct fields in the lines of a JSON table. */
const maxJsonFields = 1_000;

/** Passes each row to `take`. @throws TableError for a file that has none of these formats or exceeds the bounds */
export async function readTable(
  { bytes, path, sheet }: TableFile,
  { take, ...options }: TableReader,
): Promise<void> {
  let rows = 0;
  const reader: TableReader = {
    ...options,
    take(row) {
      rows += 1;
      if (rows > options.maxRows)
        throw new TableError(
          `has more than ${options.maxRows} rows; delete rows that are not needed`,
        );
      take(row);
    },
  };
  if (/\.xls[xm]$/i.test(path) || isWorkbook(bytes)) return readXlsxRows({ bytes, sheet }, reader);
  if (/\.(?:jsonl|ndjson)$/i.test(path)) return readJsonRows(toTableUtf8(bytes), reader);
  const fixedDelimiter = /\.tsv$/i.test(path) ? '\t' : null;
  return parseCsv(await createCsvRequest(toTableUtf8(bytes), fixedDelimiter, reader), reader.take);
}

/** Normalizes a heading for comparisons that ignore case, kinds of spaces, line breaks, characters without a width and accents' encoding. */
export function normalizeHeading(heading: string): string {
  return heading
    .normalize('NFC')
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .toLowerCase();
}

/** Returns the index of the column with the heading, or -1 if there is none. @throws TableError if there are several */
export function findColumnIndex(heading: string, headings: TableHeadings): number {
  const normalizedNames = headings.names.map(normalizeHeading);
  const normalizedHeading = normalizeHeading(heading);
  const index = normalizedNames.indexOf(normalizedHeading);
  if (normalizedNames.lastIndexOf(normalizedHeading) === index) return index;
  throw new TableError(
    `${formatHeadingPlace(headings)}has two columns with the heading "${heading}"; rename one of the two`,
  );
}

/** Checks the number of cells before parsing. @throws TableError */
function assertCellCount(
  utf8: Uint8Array,
  marks: readonly string[],
  { maxCells }: TableBounds,
): void {
  const isMark = new Uint8Array(256);
  for (const mark of marks) isMark.set([1], new TextEncoder().encode(mark)[0] ?? 0);
  let cells = 1;
  for (const byte of utf8) cells += isMark[byte] ?? 0;
  if (cells > maxCells) {
    throw new TableError(`has more than ${maxCells} cells; delete empty rows and columns`);
  }
}

/**
 * Finds the delimiter and the wanted columns.
 * @throws TableError of the likeliest delimiter if no delimiter yields the columns that the reader wants
 */
async function createCsvRequest(
  utf8: Uint8Array,
  fixedDelimiter: string | null,
  reader: TableReader,
): Promise<CsvRequest> {
  assertCellCount(utf8, delimiters, reader);
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(utf8.subarray(0, maxHeadBytes));
  const { line, candidates, offset } = findHeader(text, fixedDelimiter);
  // `sep=` may specify any character.
  assertCellCount(utf8, [...delimiters, ...candidates], reader);
  const common: Options = {
    bom: true,
    from_line: line,
    // Programs that append lines to a spreadsheet's table may use other line endings.
    record_delimiter: ['\r\n', '\n', '\r'],
    skip_empty_lines: true,
    skip_records_with_empty_values: true,
    relax_column_count: true,
    max_record_size: maxRowChars,
  };
  let problem: TableError | undefined;
  for (const delimiter of candidates) {
    const options = { ...common, delimiter };
    try {
      const names = await readColumnNames(text.slice(0, offset + 2 * maxRowChars), options);
      const columnIndexes = reader.choose({ names: names.map((name) => name.trim()), line });
      return { utf8, options: { ...options, to: reader.maxRows + 2 }, wanted: columnIndexes };
    } catch (error) {
      if (!(error instanceof TableError)) throw error;
      problem ??= error;
    }
  }
  throw problem;
}

async function readColumnNames(text: string, options: Options): Promise<string[]> {
  const { CsvError, parse } = await import('csv-parse/sync');
  try {
    const [names = []] = parse(text, { ...options, to: 1 });
    return names;
  } catch (error) {
    if (error instanceof CsvError) throw new TableError(error.message);
    throw error;
  }
}

const lineEnd = /\r\n?|\n/;

/**
 * Finds the line of column names and its possible delimiters, the likeliest first. Spreadsheets use the delimiter of
 * their locale, and some declare it in a first line such as `sep=;`. A name may contain other delimiters, such as `Size
 * (W, D, H)`. Rows that contain only delimiters may precede the names. `offset` is where the names start.
 * @param fixedDelimiter delimiter of the format. Null if the file decides
 */
function findHeader(
  text: string,
  fixedDelimiter: string | null,
): { line: number; candidates: string[]; offset: number } {
  const [blank = ''] = /^[\uFEFF\s,;"]*/.exec(text) ?? [];
  const linesAbove = blank.split(lineEnd).length;
  const headText = text.slice(blank.length);
  const [separatorLine, separator] = /^sep=([^\w\s"]|\t)"?[,;\t]*(?:\r|\n)/i.exec(headText) ?? [];
  if (separatorLine !== undefined && separator !== undefined) {
    const offset = blank.length + separatorLine.length;
    return { line: linesAbove + 1, candidates: [separator], offset };
  }
  const [head = ''] = headText.split(lineEnd, 1);
  const count = (mark: string) => head.split(mark).length;
  const [first = ',', ...others] = [',', ';', '\t'].toSorted((a, b) => count(b) - count(a));
  const candidates = [first, ...others.filter((mark) => head.includes(mark))];
  return {
    line: linesAbove,
    candidates: fixedDelimiter === null ? candidates : [fixedDelimiter],
    offset: blank.length,
  };
}

async function readJsonRows(utf8: Uint8Array, reader: TableReader): Promise<void> {
  assertCellCount(utf8, jsonDelimiters, reader);
  const lines = new TextDecoder().decode(utf8).split(/\r?\n/);
  const names = new Set<string>();
  // Each line is parsed twice, since the objects of all lines would take many times the memory of the file.
  for await (const { fields } of parseJsonLines(lines)) {
    for (const name of Object.keys(fields)) names.add(name);
    if (names.size > maxJsonFields)
      throw new TableError(
        `has more than ${maxJsonFields} different fields; delete fields that are not needed`,
      );
  }
  const columnNames = [...names];
  const chosenNames = reader
    .choose({ names: columnNames, line: null })
    .map((index) => columnNames[index]);
  for await (const { line, fields } of parseJsonLines(lines)) {
    const valueOf = (name = '') => (Object.hasOwn(fields, name) ? fields[name] : undefined);
    reader.take({ line, values: chosenNames.map(valueOf) });
  }
}

/** Yields the objects of the lines, and lets the event loop continue every `linesAtOnce` lines. */
async function* parseJsonLines(
  lines: readonly string[],
): AsyncGenerator<{ line: number; fields: Record<string, unknown> }> {
  for (const [index, text] of lines.entries()) {
    if (index % linesAtOnce === 0) await setImmediate();
    if (text.trim() === '') continue;
    const line = index + 1;
    if (text.length > maxRowChars)
      throw new TableError(`line ${line}: is longer than ${maxRowChars} characters`);
    const values = parseJsonLine(text, line);
    if (typeof values !== 'object' || values === null || Array.isArray(values))
      throw new TableError(`line ${line}: is not a JSON object`);
    // JSON.parse returns only plain objects, and the check above excludes other values.
    yield { line, fields: values as Record<string, unknown> };
  }
}

/** @throws TableError for a line that is not JSON */
function parseJsonLine(text: string, line: number): unknown {
  try {
    JSON.parse(text);
  } catch {
    throw new TableError(`line ${line}: is not valid JSON`);
  }
  // Numbers keep their text, because 12E4 may be the name of a material, not 120000.
  const typed = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;
  return JSON.parse(text.replace(typed, (part) => (part.startsWith('"') ? part : `"${part}"`)));
}
