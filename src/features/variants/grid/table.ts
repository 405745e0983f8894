// Reads the table of a colorway grid: rows of model or tag, colorway, slot and material.
import { CsvError, type Options, parse } from 'csv-parse/sync';
import { findNameProblem } from '../../../engine/grid/position-name.ts';
import { cellKey } from '../../../store/records/cell-keys.ts';
import { parseCsv } from './csv-thread.ts';
import { TableError } from './table-error.ts';

export interface TableRow {
  /** Key of a model, or a glob over keys; empty if the row names a tag. */
  model: string;
  /** Id of a tag of models; absent if the row names a model. */
  tag?: string;
  colorway: string;
  slot: string;
  /** Name of a material, or `id:` followed by its id. */
  material: string;
  /** Line of the file, from 1. */
  line: number;
}

const subjectColumns = ['model', 'tag'] as const;
const requiredColumns = ['colorway', 'slot', 'material'] as const;
export const maxRows = 100_000;
/** Empty cells count too: spreadsheets may save rows and columns of bare delimiters, which keep the parser busy for minutes. */
export const maxCells = 2_000_000;
const rowChars = 20_000;
/** Same limit as for a list. */
export const maxColorways = 500;
const problemsShown = 5;
export const maxCellValueLength = 500;

type Column = (typeof subjectColumns)[number] | (typeof requiredColumns)[number];
/** Column names in the file that differ from ours. */
export type ColumnNames = { readonly [column in Column]?: string | undefined };

/**
 * @param columns column names in the file; absent ones have our names
 * @throws TableError that lists the first invalid lines and the reasons
 */
export async function readTable(
  text: string,
  path: string,
  columns: ColumnNames = {},
): Promise<TableRow[]> {
  const headings = new ColumnHeadings(columns);
  const isCsv = /\.csv$/i.test(path);
  assertCellCount(text, isCsv ? delimiters : jsonDelimiters);
  const rows = isCsv ? await readCsvRows(text, headings) : readJsonRows(text, headings);
  if (rows.length > maxRows) throw new TableError(`has more than ${maxRows} rows`);
  const problems: string[] = [];
  const seen = new Map<string, number>();
  const table = rows.flatMap(({ line, values }): TableRow[] => {
    const row = toTableRow(values, line, headings);
    if (typeof row === 'string') {
      problems.push(`line ${line}: ${row}`);
      return [];
    }
    const { tag, model, colorway, slot } = row;
    const cellKeyText = JSON.stringify([tag ?? null, model, colorway, slot]);
    const before = seen.get(cellKeyText);
    if (before !== undefined) {
      const what = `"${slot}" of ${tag === undefined ? model : `tag ${tag}`} in ${colorway}`;
      problems.push(`line ${line}: ${what} has a material already, in line ${before}`);
    }
    seen.set(cellKeyText, line);
    return [row];
  });
  if (problems.length === 0 && table.length === 0) throw new TableError('has no rows');
  const names = new Set(table.map(({ colorway }) => colorway));
  const byKey = new Map<string, string>();
  for (const { colorway, line } of table) {
    const other = byKey.get(cellKey('', colorway)) ?? colorway;
    byKey.set(cellKey('', colorway), other);
    if (other !== colorway)
      problems.push(`line ${line}: "${colorway}" has the key of "${other}"; rename one of them`);
  }
  if (names.size > maxColorways)
    problems.unshift(`has ${names.size} colorways, more than ${maxColorways}`);
  if (problems.length === 0) return table;
  const more =
    problems.length > problemsShown ? `; and ${problems.length - problemsShown} more` : '';
  throw new TableError(`${problems.slice(0, problemsShown).join('; ')}${more}`);
}

const delimiters = [',', ';', '\t', '\r', '\n'];
const jsonDelimiters = [',', ':', '[', '{', '\r', '\n'];

/** Checks the number of cells before parsing. @throws TableError */
function assertCellCount(text: string, marks: readonly string[]): void {
  const codes = new Set(marks.map((one) => one.charCodeAt(0)));
  let cells = 1;
  for (let at = 0; at < text.length; at += 1) if (codes.has(text.charCodeAt(at))) cells += 1;
  if (cells > maxCells) {
    throw new TableError(`has more than ${maxCells} cells; delete rows and columns that are empty`);
  }
}

function toTableRow(
  values: Readonly<Record<string, unknown>>,
  line: number,
  headings: ColumnHeadings,
): TableRow | string {
  const row: Record<string, string> = {};
  const given = subjectColumns.filter((column) => !isEmpty(values[column]));
  if (given.length > 1) return 'names a model and a tag; a row may name only one of them';
  const [one = 'tag' in values && !('model' in values) ? 'tag' : 'model'] = given;
  for (const column of [one, ...requiredColumns]) {
    const value = values[column];
    const named = `"${headings.nameOf(column)}"`;
    if (value === undefined) return `has no ${named}`;
    if (typeof value !== 'string') return `${named} is no text`;
    const text = value.trim();
    if (text === '') return `${named} is empty`;
    if (text.length > maxCellValueLength)
      return `${named} is longer than ${maxCellValueLength} characters`;
    row[column] = text.normalize('NFC');
  }
  const { model = '', tag, colorway = '', slot = '', material = '' } = row;
  const refusal = findNameProblem(colorway);
  if (refusal !== null) return `"${colorway}" cannot be the name of a colorway: it ${refusal}`;
  return { model, ...(tag === undefined ? {} : { tag }), colorway, slot, material, line };
}

function isEmpty(value: unknown): boolean {
  return (
    value === undefined || value === null || (typeof value === 'string' && value.trim() === '')
  );
}

interface ParsedRow {
  line: number;
  values: Record<string, unknown>;
}

/** Maps columns of the file to ours. Ignores case, surrounding spaces and the Unicode encoding of accents. */
class ColumnHeadings {
  readonly #names: ColumnNames;
  readonly #columns: ReadonlyMap<string, Column>;

  constructor(names: ColumnNames) {
    this.#names = names;
    this.#columns = new Map(
      [...subjectColumns, ...requiredColumns].map((one) => [
        normalizeHeading(this.nameOf(one)),
        one,
      ]),
    );
  }

  nameOf(column: Column): string {
    return this.#names[column] ?? column;
  }

  /** Our name of a column of the file; undefined for a column that is not read. */
  columnOf(heading: string): Column | undefined {
    return this.#columns.get(normalizeHeading(heading));
  }
}

function normalizeHeading(heading: string): string {
  return heading.normalize('NFC').trim().toLowerCase();
}

async function readCsvRows(text: string, headings: ColumnHeadings): Promise<ParsedRow[]> {
  const { line, delimiter, offset } = findHeader(text);
  // `sep=` may name any character.
  assertCellCount(text, [...delimiters, delimiter]);
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
  const columns = mapColumns(names, line, headings);
  const wanted = columns.flatMap((column, at) => (column === false ? [] : [{ column, at }]));
  const [, ...rows] = await parseCsv({
    text,
    options: { ...options, to: maxRows + 2 },
    wanted: wanted.map(({ at }) => at),
  });
  return rows.map(({ line: at, values }) => ({
    line: at,
    values: Object.fromEntries(wanted.map(({ column }, index) => [column, values[index]])),
  }));
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
 */
function findHeader(text: string): { line: number; delimiter: string; offset: number } {
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
  return { line: linesAbove, delimiter: max, offset: blank.length };
}

/** @throws TableError for a missing or duplicate column */
function mapColumns(
  names: readonly string[],
  line: number,
  headings: ColumnHeadings,
): (Column | false)[] {
  const known = names.map((name) => headings.columnOf(name) ?? false);
  const missing: string[] = requiredColumns
    .filter((column) => !known.includes(column))
    .map((column) => headings.nameOf(column));
  if (!subjectColumns.some((column) => known.includes(column)))
    missing.unshift(`${headings.nameOf('model')} (or ${headings.nameOf('tag')})`);
  if (missing.length > 0) {
    const there = names.join(', ').slice(0, 200);
    throw new TableError(
      `line ${line}: has no column ${missing.join(', ')}; its columns are ${there}; use \`columns\` if yours have other names`,
    );
  }
  const duplicate = names.find(
    (_, at) => known[at] !== false && known.indexOf(known[at] ?? false) < at,
  );
  if (duplicate !== undefined)
    throw new TableError(`line ${line}: has two columns "${duplicate.trim()}"`);
  return known;
}

function readJsonRows(text: string, headings: ColumnHeadings): ParsedRow[] {
  return text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .flatMap((one, index): ParsedRow[] => {
      if (one.trim() === '') return [];
      const line = index + 1;
      if (one.length > rowChars)
        throw new TableError(`line ${line}: is longer than ${rowChars} characters`);
      const values = parseJsonLine(one, line);
      if (typeof values !== 'object' || values === null || Array.isArray(values))
        throw new TableError(`line ${line}: is no object`);
      const ours = Object.entries(values).flatMap(([name, value]): [Column, unknown][] => {
        const column = headings.columnOf(name);
        return column === undefined ? [] : [[column, value]];
      });
      return [{ line, values: Object.fromEntries(ours) }];
    });
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
