// Reads rows of a table as spreadsheets save it: CSV with the delimiter of a locale, TSV, JSON Lines, or a workbook.
import { CsvError, type Options, parse } from 'csv-parse/sync';
import { parseCsv } from './csv-thread.ts';
import { TableError } from './table-error.ts';
import { tableText } from './table-text.ts';
import { readXlsxRows } from './xlsx-thread.ts';

/** The wanted values of a row, in the order of the wanted headings; undefined where the row has no such value. */
export interface ReadRow {
  /** Line of the file, from 1. */
  line: number;
  values: readonly unknown[];
}

export interface TableBounds {
  maxRows: number;
  /** Empty cells count too: spreadsheets may save rows and columns of bare delimiters, which keep the parser busy for minutes. */
  maxCells: number;
}

export interface TableHeadings {
  /** As they are in the file, trimmed. */
  names: readonly string[];
  /** null: the table has no headings, each line names its own fields. */
  line: number | null;
}

/**
 * Chooses the columns to read, as indexes of headings; -1 for a column that no line has.
 * @throws TableError if a column is missing
 */
export type ChooseColumns = (headings: TableHeadings) => readonly number[];

const rowChars = 20_000;
const delimiters = [',', ';', '\t', '\r', '\n'];
const jsonDelimiters = [',', ':', '[', '{', '\r', '\n'];
/** Distinct fields of the lines of a JSON table. */
const maxJsonFields = 1_000;

export interface TableFile {
  bytes: Uint8Array;
  /** Its extension tells the format. */
  path: string;
  /** Sheet of a workbook; absent: the first. */
  sheet?: string | undefined;
}

/** @throws TableError with the line for a file that is no such table, or that exceeds the bounds */
export async function readTable(
  { bytes, path, sheet }: TableFile,
  choose: ChooseColumns,
  bounds: TableBounds,
): Promise<ReadRow[]> {
  if (/\.xlsx$/i.test(path)) return readXlsxRows({ bytes, sheet }, choose, bounds);
  return readTableText(tableText(bytes), path, choose, bounds);
}

/** The same for the text of a table. */
export async function readTableText(
  text: string,
  path: string,
  choose: ChooseColumns,
  bounds: TableBounds,
): Promise<ReadRow[]> {
  const isJson = /\.(?:jsonl|ndjson)$/i.test(path);
  assertCellCount(text, isJson ? jsonDelimiters : delimiters, bounds);
  const rows = isJson
    ? readJsonRows(text, choose)
    : await readCsvRows(text, /\.tsv$/i.test(path) ? '\t' : null, choose, bounds);
  if (rows.length > bounds.maxRows) throw new TableError(`has more than ${bounds.maxRows} rows`);
  return rows;
}

/** Compares headings: ignores case, surrounding spaces and the Unicode encoding of accents. */
export function normalizeHeading(heading: string): string {
  return heading.normalize('NFC').trim().toLowerCase();
}

/** Checks the number of cells before parsing. @throws TableError */
function assertCellCount(text: string, marks: readonly string[], { maxCells }: TableBounds): void {
  const codes = new Set(marks.map((one) => one.charCodeAt(0)));
  let cells = 1;
  for (let at = 0; at < text.length; at += 1) if (codes.has(text.charCodeAt(at))) cells += 1;
  if (cells > maxCells) {
    throw new TableError(`has more than ${maxCells} cells; delete rows and columns that are empty`);
  }
}

async function readCsvRows(
  text: string,
  given: string | null,
  choose: ChooseColumns,
  bounds: TableBounds,
): Promise<ReadRow[]> {
  const { line, delimiter, offset } = findHeader(text, given);
  // `sep=` may name any character.
  assertCellCount(text, [...delimiters, delimiter], bounds);
  const options: Options = {
    bom: true,
    from_line: line,
    skip_empty_lines: true,
    skip_records_with_empty_values: true,
    relax_column_count: true,
    delimiter,
    max_record_size: rowChars,
  };
  const names = readColumnNames(text.slice(0, offset + 2 * rowChars), options);
  const wanted = choose({ names: names.map((name) => name.trim()), line });
  const [, ...rows] = await parseCsv({
    text,
    options: { ...options, to: bounds.maxRows + 2 },
    wanted,
  });
  return rows;
}

/** The column names: the first row. */
function readColumnNames(text: string, options: Options): string[] {
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
 * Finds the line of column names and the delimiter. Spreadsheets use the delimiter of their locale, and some declare it in a first
 * line such as `sep=;`. Rows with only delimiters may precede the names. `offset` is where the names start.
 * @param given delimiter of the format; null if the file decides
 */
function findHeader(
  text: string,
  given: string | null,
): { line: number; delimiter: string; offset: number } {
  const [blank = ''] = /^[\uFEFF\s,;"]*/.exec(text) ?? [];
  const linesAbove = blank.split(lineEnd).length;
  const rest = text.slice(blank.length);
  const [whole, named] = /^sep=([^\w\s"]|\t)"?[,;\t]*(?:\r|\n)/i.exec(rest) ?? [];
  if (whole !== undefined && named !== undefined) {
    return { line: linesAbove + 1, delimiter: named, offset: blank.length + whole.length };
  }
  const [head = ''] = rest.split(lineEnd, 1);
  const count = (mark: string) => head.split(mark).length;
  const [max = ','] = [',', ';', '\t'].toSorted((a, b) => count(b) - count(a));
  return { line: linesAbove, delimiter: given ?? max, offset: blank.length };
}

function readJsonRows(text: string, choose: ChooseColumns): ReadRow[] {
  const objects = text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .flatMap((one, index): { line: number; fields: Map<string, unknown> }[] => {
      if (one.trim() === '') return [];
      const line = index + 1;
      if (one.length > rowChars)
        throw new TableError(`line ${line}: is longer than ${rowChars} characters`);
      const values = parseJsonLine(one, line);
      if (typeof values !== 'object' || values === null || Array.isArray(values))
        throw new TableError(`line ${line}: is no object`);
      return [{ line, fields: new Map(Object.entries(values)) }];
    });
  const names = [...new Set(objects.flatMap(({ fields }) => [...fields.keys()]))];
  if (names.length > maxJsonFields)
    throw new TableError(`has more than ${maxJsonFields} different fields`);
  const wanted = choose({ names, line: null }).map((at) => names[at]);
  return objects.map(({ line, fields }) => ({
    line,
    values: wanted.map((name) => (name === undefined ? undefined : fields.get(name))),
  }));
}

/** @throws TableError for a line that is not JSON */
function parseJsonLine(text: string, line: number): unknown {
  try {
    JSON.parse(text);
  } catch {
    throw new TableError(`line ${line}: is not JSON`);
  }
  // Numbers keep their text: 12E4 may be the name of a material, not 120000.
  const typed = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;
  return JSON.parse(text.replace(typed, (part) => (part.startsWith('"') ? part : `"${part}"`)));
}
