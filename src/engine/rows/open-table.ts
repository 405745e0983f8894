// Opens a table of `data:`. Finds its columns by their headings, and its rows by their keys.
import { createHash } from 'node:crypto';
import { suggestName } from '../../api/requests/nearest-name.ts';
import type { Connector } from '../../connectors/connector.ts';
import { rowCauses } from '../../failures/rows.ts';
import { identifierOf } from '../../language/column-name.ts';
import { GlobSet } from '../../language/glob-set.ts';
import { findGlobProblem } from '../../language/read-glob.ts';
import { groupBy } from '../../plan/helpers/group-by.ts';
import type { ColumnType, PlannedTable } from '../../plan/rows.ts';
import { findFormulaProblem } from '../../tables/formula-error.ts';
import { findColumnIndex, normalizeHeading, readTable } from '../../tables/read-table.ts';
import {
  emptyFileMessage,
  formatColumns,
  formatHeadingPlace,
  TableError,
} from '../../tables/table-error.ts';
import type { TableHeadings } from '../../tables/table-reader.ts';
import { RunCauseError } from '../engine-errors.ts';

export const maxDataBytes = 64 * 1024 * 1024;
export const maxDataRows = 200_000;
export const maxDataCells = 8_000_000;
/** Maximum number of distinct globs in the key column of a table with `match: glob`. */
export const maxDataGlobs = 1_000;

/** A column that the pipeline reads. */
export interface OpenColumn {
  /** Name in expressions. */
  name: string;
  heading: string;
  type: ColumnType;
}

/** A table in memory, stored by columns. Rows are identified by index. */
export interface OpenTable {
  readonly plannedTable: PlannedTable;
  /** Location for messages, such as `products (products.csv in local folder /data)`. */
  readonly location: string;
  readonly columns: readonly OpenColumn[];
  /** Headings of all columns, by the names under which expressions can use them. */
  readonly headings: ReadonlyMap<string, string>;
  /** Returns the rows that have the key, in the order of the table. */
  readonly rowsOf: (key: readonly string[]) => readonly number[];
  readonly textOf: (row: number, column: number) => string;
  /** Returns the keys of models, each with its rows, in the order of the table. A key may be empty. */
  readonly models: () => Iterable<readonly [key: string, rows: readonly number[]]>;
  /** Returns the cell of the file column. Empty if the table has no such column. */
  readonly fileOf: (row: number) => string;
  readonly lineOf: (row: number) => number;
  readonly rows: number;
  /** Size, time and ETag of the file. */
  readonly version: string;
}

/**
 * Reads a table into memory.
 * @param reads names of the columns that the pipeline reads, from this or another table
 * @throws RunCauseError if the table does not exist or is invalid
 */
export async function openTable(
  plannedTable: PlannedTable,
  reads: readonly string[],
  connector: Connector,
): Promise<OpenTable> {
  const location = `table ${plannedTable.name} (${plannedTable.path} in ${connector.describe()})`;
  const entry = await connector.stat(plannedTable.path);
  if (entry === null) throw tableCauseError(`${location}: the file does not exist`);
  const layout: { columns: readonly OpenColumn[]; headings: ReadonlyMap<string, string> } = {
    columns: [],
    headings: new Map(),
  };
  const keys = Object.values(plannedTable.key);
  const files = plannedTable.file === undefined ? [] : [plannedTable.file];
  const choose = (tableHeadings: TableHeadings) => {
    layout.headings = namesOf(plannedTable, tableHeadings.names);
    layout.columns = openColumns(plannedTable, layout.headings, reads);
    assertDistinct(plannedTable, tableHeadings, layout.columns);
    const wantedHeadings = [...keys, ...layout.columns.map(({ heading }) => heading), ...files];
    return wantedHeadings.map((heading) => indexOf(heading, tableHeadings));
  };
  try {
    const { path, sheet } = plannedTable;
    let index = new RowIndex(plannedTable, keys.length, 0);
    await readTable(
      { bytes: await connector.read(path, maxDataBytes), path, sheet },
      {
        choose(tableHeadings) {
          const indexes = choose(tableHeadings);
          index = new RowIndex(plannedTable, keys.length, layout.columns.length + files.length);
          return indexes;
        },
        take: ({ line, values }) => index.add(line, values),
        maxRows: maxDataRows,
        maxCells: maxDataCells,
      },
    );
    index.close();
    return {
      plannedTable,
      location,
      ...layout,
      rowsOf: (key) => index.rowsOf(key),
      textOf: (row, column) => index.textOf(row, column),
      models: () => index.models(),
      fileOf: (row) => index.textOf(row, layout.columns.length),
      lineOf: (row) => index.lineOf(row),
      rows: index.size,
      version: JSON.stringify([entry.bytes, entry.mtimeMs, entry.etag ?? null]),
    };
  } catch (error) {
    if (error instanceof TableError) throw tableCauseError(`${location}: ${error.message}`);
    throw error;
  }
}

export function tableCauseError(message: string): RunCauseError {
  return new RunCauseError(rowCauses.DATA_TABLE, message);
}

/** Returns headings by column name in expressions. Names set by the pipeline file take precedence over headings. */
function namesOf({ columns }: PlannedTable, headings: readonly string[]): Map<string, string> {
  const givenEntries = Object.entries(columns).map(([name, { heading }]): [string, string] => [
    name,
    heading,
  ]);
  const others = headings.map((heading): [string, string] => [identifierOf(heading), heading]);
  return new Map([...others.toReversed(), ...givenEntries].filter(([name]) => name !== ''));
}

function openColumns(
  { columns }: PlannedTable,
  headings: ReadonlyMap<string, string>,
  reads: readonly string[],
): OpenColumn[] {
  return reads.flatMap((name): OpenColumn[] => {
    const heading = headings.get(name);
    return heading === undefined ? [] : [{ name, heading, type: columns[name]?.type ?? 'text' }];
  });
}

/** @throws TableError if the name of a column may refer to two headings, such as `Price €` and `Price $` */
function assertDistinct(
  { columns: plannedColumns }: PlannedTable,
  tableHeadings: TableHeadings,
  columns: readonly OpenColumn[],
): void {
  for (const { name, heading } of columns) {
    if (Object.hasOwn(plannedColumns, name)) continue;
    const isOther = (otherHeading: string) =>
      identifierOf(otherHeading) === name &&
      normalizeHeading(otherHeading) !== normalizeHeading(heading);
    const other = tableHeadings.names.find(isOther);
    if (other === undefined) continue;
    throw new TableError(
      `${formatHeadingPlace(tableHeadings)}row.${name} may be "${heading}" or "${other}"; give each of these columns a name under \`columns\``,
    );
  }
}

/** @throws TableError if no column or more than one has the heading */
function indexOf(heading: string, headings: TableHeadings): number {
  const index = findColumnIndex(heading, headings);
  if (index !== -1) return index;
  if (headings.names.join('') === '') throw new TableError(emptyFileMessage);
  const hint = suggestName(heading, headings.names) ?? formatColumns(headings);
  throw new TableError(`${formatHeadingPlace(headings)}has no column "${heading}"; ${hint}`);
}

/** Finds rows by key. Uses few objects, because a table may have hundreds of thousands of rows. */
class RowIndex {
  readonly #plannedTable: PlannedTable;
  readonly #keys: number;
  readonly #columns: string[][];
  readonly #lines: number[] = [];
  readonly #byKey = new Map<string, number | number[]>();
  /** Keys by lower-case form, built when a key is not found literally. Null if several keys have the same form. */
  #folded: Map<string, string | null> | undefined;
  readonly #internedTexts = new Map<string, string>();
  #globs: { set: GlobSet; keys: string[] } | null = null;

  constructor(plannedTable: PlannedTable, keys: number, columns: number) {
    this.#plannedTable = plannedTable;
    this.#keys = keys;
    this.#columns = Array.from({ length: columns }, () => []);
  }

  get size(): number {
    return this.#lines.length;
  }

  add(line: number, values: readonly unknown[]): void {
    const texts = values.map((value) => cellTextOf(value, line));
    const { key: keyHeadings, file } = this.#plannedTable;
    const key = texts.slice(0, this.#keys);
    // A formula error here must fail the table: a row without a key or a file would look like a removed asset.
    const named = Object.values(keyHeadings).map((heading, index) => [heading, key[index]]);
    for (const [heading, text = ''] of file === undefined
      ? named
      : [...named, [file, texts.at(-1)]]) {
      const problem = findFormulaProblem(text);
      if (problem !== null) throw new TableError(`line ${line}, column "${heading}": ${problem}`);
    }
    // A row with a file but without a key is a product whose key was deleted. Other rows without a key may be notes.
    const isListed = this.#plannedTable.file !== undefined && texts.at(-1) !== '';
    if (key.every((part) => part === '') && !isListed) return;
    const row = this.#lines.push(line) - 1;
    for (const [index, column] of this.#columns.entries()) {
      column.push(this.#intern(texts[this.#keys + index] ?? ''));
    }
    const name = keyTextOf(key);
    const existingRows = this.#byKey.get(name);
    if (existingRows === undefined) this.#byKey.set(name, row);
    else if (typeof existingRows === 'number') this.#byKey.set(name, [existingRows, row]);
    else existingRows.push(row);
  }

  /** Ends loading. @throws TableError if keys are globs and there are too many of them or one is invalid */
  close(): void {
    this.#internedTexts.clear();
    if (this.#plannedTable.match !== 'glob') return;
    const keys = [...this.#byKey.keys()];
    if (keys.length > maxDataGlobs)
      throw new TableError(`has ${keys.length} globs, but at most ${maxDataGlobs} are allowed`);
    for (const key of keys) {
      const refusal = findGlobProblem(key);
      if (refusal === null) continue;
      const [row = 0] = this.#rowsAt(key);
      throw new TableError(`line ${this.lineOf(row)}: "${key}" ${refusal.reason}`);
    }
    this.#globs = { set: new GlobSet(keys, { style: 'path' }), keys };
  }

  rowsOf(key: readonly string[]): readonly number[] {
    const name = keyTextOf(key.map((part) => part.normalize('NFC').trim()));
    if (this.#globs !== null) {
      const { set, keys } = this.#globs;
      return set.matching(name).flatMap((index) => this.#rowsAt(keys[index] ?? ''));
    }
    const exact = this.#rowsAt(name);
    if (exact.length > 0) return exact;
    this.#folded ??= foldKeys(this.#byKey.keys());
    const other = this.#folded.get(name.toLowerCase());
    return other == null ? [] : this.#rowsAt(other);
  }

  *models(): Generator<readonly [key: string, rows: readonly number[]]> {
    const modelIndex = Object.keys(this.#plannedTable.key).indexOf('model');
    if (this.#keys === 1) for (const key of this.#byKey.keys()) yield [key, this.#rowsAt(key)];
    else {
      const models = groupBy(this.#byKey.keys(), (name) => partsOf(name)[modelIndex] ?? '');
      for (const [key, names] of models) yield [key, names.flatMap((name) => this.#rowsAt(name))];
    }
  }

  textOf(row: number, column: number): string {
    return this.#columns[column]?.[row] ?? '';
  }

  lineOf(row: number): number {
    return this.#lines[row] ?? 0;
  }

  #rowsAt(key: string): readonly number[] {
    const rows = this.#byKey.get(key) ?? [];
    return typeof rows === 'number' ? [rows] : rows;
  }

  /** Returns the same string object for equal strings, because columns such as a season repeat few values. */
  #intern(text: string): string {
    const internedText = this.#internedTexts.get(text);
    if (internedText !== undefined) return internedText;
    if (this.#internedTexts.size < 50_000) this.#internedTexts.set(text, text);
    return text;
  }
}

function keyTextOf(parts: readonly string[]): string {
  return parts.length === 1 ? (parts[0] ?? '') : JSON.stringify(parts);
}

function partsOf(name: string): string[] {
  // The type is known, because `keyTextOf` has written the text.
  return JSON.parse(name) as string[];
}

function foldKeys(keys: Iterable<string>): Map<string, string | null> {
  const folded = new Map<string, string | null>();
  for (const key of keys) {
    const foldedKey = key.toLowerCase();
    folded.set(foldedKey, folded.has(foldedKey) ? null : key);
  }
  return folded;
}

/** @throws TableError for a JSON value that no cell can contain */
function cellTextOf(value: unknown, line: number): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value.normalize('NFC').trim();
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new TableError(
    `line ${line}: contains a list or an object, but a cell must be text, a number, true or false`,
  );
}

/** Returns a short hash of values. */
export function hashOfValues(values: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(values)).digest('hex').slice(0, 8);
}
