// Opens the tables of a plan, and finds the row of each asset.
import { suggestName } from '../../api/requests/nearest-name.ts';
import type { Connector } from '../../connectors/connector.ts';
import type { KnownFailure } from '../../failures/define.ts';
import { rowFailures } from '../../failures/rows.ts';
import { sourceFieldsOf } from '../../language/expressions.ts';
import { findPosition, type PlannedDimension } from '../../plan/grid.ts';
import { formatFirst, formatLines } from '../../plan/helpers/format-first.ts';
import type { Row, RowValue, TablePlan } from '../../plan/rows.ts';
import type { AssetSource } from '../../plan/types.ts';
import type { RowOutcome, Rows } from '../../store/discovery/rows/rows.ts';
import { RunCache } from '../../store/objects/run-cache.ts';
import { ColumnValueError, toRowValue } from './column-values.ts';
import { hashOfValues, type OpenTable, openTable, tableCauseError } from './open-table.ts';
import { RowListing } from './row-listing.ts';

/** Maximum length of the JSON of an asset's row, across all tables. The manifest stores the row of each asset. */
export const maxRowChars = 4_096;
const maxLinesShown = 5;

/** The row of an asset in one table. */
export interface FoundRow {
  /** Location for messages, such as `products (products.csv in local folder /data)`. */
  place: string;
  lines: readonly number[];
  /** Values of the columns that the pipeline reads. */
  values: Readonly<Record<string, RowValue>>;
}

export interface OpenRows extends Rows {
  /** The rows that are the assets. Null if assets come from elsewhere. */
  readonly listing: RowListing | null;
  /**
   * Returns the rows of an asset, with one entry per table that contains any.
   * @param key key of the asset's model
   */
  readonly rowsOf: (key: string, source: AssetSource) => FoundRow[];
}

interface RowsContext {
  getConnector: (name: string) => Connector;
  grid: readonly PlannedDimension[];
}

/**
 * Opens the tables of a plan. Returns null if the plan has no tables.
 * @throws RunCauseError if a table cannot be read, or if its columns do not fit what the pipeline reads
 */
export async function openRows(
  tablePlan: TablePlan | undefined,
  { getConnector, grid }: RowsContext,
): Promise<OpenRows | null> {
  if (tablePlan === undefined) return null;
  const tables: OpenTable[] = [];
  for (const table of tablePlan.tables) {
    tables.push(await openTable(table, tablePlan.reads, getConnector(table.connector)));
  }
  assertColumns(tablePlan, tables);
  assertKeys(tablePlan, tables);
  assertShared(tablePlan, tables, grid);
  const usedRows = tables.map(({ rows }) => new Uint8Array(rows));
  const version = hashOfValues(tables.map((table) => table.version));
  const list = tables.find(({ plannedTable: { file } }) => file !== undefined);
  const listing = list ? new RowListing(list) : null;
  return {
    version,
    listing,
    rowsOf: (key, source) =>
      tables.flatMap((table) => {
        const parts = findKeyParts(table, key, source);
        const rows = parts === null ? [] : table.rowsOf(parts);
        if (rows.length === 0) return [];
        const values = table.columns.map(({ name }) => [name, source.row?.values[name] ?? null]);
        const lines = rows.map(table.lineOf);
        return [{ place: table.location, lines, values: Object.fromEntries(values) }];
      }),
    assertVersion(begun) {
      if (begun === version) return;
      const tableNames = tables.map(({ location }) => location).join(', ');
      throw tableCauseError(
        `${tableNames} changed while the run was listing its assets; start the run again`,
      );
    },
    isForKeys: tablePlan.forKeys !== undefined,
    rowOf(key, source) {
      const values: Record<string, RowValue> = {};
      const tableRows: { table: OpenTable; row: number }[] = [];
      for (const [index, table] of tables.entries()) {
        const parts = findKeyParts(table, key, source);
        if (parts === null) continue;
        const rows = table.rowsOf(parts);
        for (const row of rows) usedRows[index]?.fill(1, row, row + 1);
        const outcome = valuesOf(table, rows, parts);
        if (outcome === 'skipped' || 'failure' in outcome) return outcome;
        Object.assign(values, outcome.values);
        const [row] = rows;
        if (row !== undefined) tableRows.push({ table, row });
      }
      if (JSON.stringify(values).length > maxRowChars) {
        const positions = tableRows.map(
          ({ table, row }) => `${table.location}, line ${table.lineOf(row)}`,
        );
        const message = `${positions.join(', and ')}: the columns that the pipeline reads contain more than ${maxRowChars} characters; shorten the texts of these columns, or read fewer columns`;
        return failWith(rowFailures.ROW_INVALID, message);
      }
      return withStages(tablePlan, values);
    },
    unusedWarnings: (node) => {
      const unnamed = listing?.formatUnnamed() ?? null;
      const unused = tables.flatMap((table, index) => {
        const lines: number[] = [];
        for (const [row, isUsed] of usedRows[index]?.entries() ?? []) {
          if (isUsed === 0) lines.push(table.lineOf(row));
        }
        if (lines.length === 0) return [];
        const count = lines.length === 1 ? '1 row belongs' : `${lines.length} rows belong`;
        const lineList = formatLines(lines, maxLinesShown);
        return [`${table.location}: ${count} to no asset: ${lineList}`];
      });
      const messages = unnamed === null ? unused : [...unused, unnamed];
      return messages.map((message) => ({ key: node, message }));
    },
  };
}

/** @throws RunCauseError if a column that the pipeline reads is in no table or in two tables */
function assertColumns({ reads }: TablePlan, tables: readonly OpenTable[]): void {
  for (const name of reads) {
    const having = tables.filter(({ headings }) => headings.has(name));
    const [first, second] = having;
    if (second !== undefined && first !== undefined) {
      throw tableCauseError(
        `row.${name} is a column of two tables: "${first.headings.get(name)}" of ${first.location} and "${second.headings.get(name)}" of ${second.location}; rename one of these columns under \`columns\``,
      );
    }
    if (first !== undefined) continue;
    const columnNames = tables.flatMap(({ headings }) => [...headings.keys()]);
    const hint =
      suggestName(name, columnNames) ?? `its columns are ${formatFirst(columnNames, 20)}`;
    const tableNames = tables.map(({ location }) => location).join(', ');
    throw tableCauseError(`row.${name} is not a column of ${tableNames}; ${hint}`);
  }
}

/** @throws RunCauseError if `key:` reads a table whose rows are found by the key or by grid positions */
function assertKeys({ forKeys = [] }: TablePlan, tables: readonly OpenTable[]): void {
  for (const { plannedTable, location, columns } of tables) {
    const column = columns.find(({ name }) => forKeys.includes(name));
    const isBySource = plannedTable.match !== 'key' && dimensionsOf(plannedTable.key).length === 0;
    if (column === undefined || isBySource) continue;
    throw tableCauseError(
      `key: reads row.${column.name} of ${location}, but the rows of this table are found by the key; set \`match: path\` or \`match: name\` for the table`,
    );
  }
}

/** @throws RunCauseError if work that is done once for several cells reads a column that may differ between them */
function assertShared(
  { shared }: TablePlan,
  tables: readonly OpenTable[],
  grid: readonly PlannedDimension[],
): void {
  for (const { plannedTable, location, columns } of tables) {
    const tableDimensions = dimensionsOf(plannedTable.key);
    for (const { node, dimensions, columns: readColumns } of shared) {
      const outer = new Set(grid.slice(0, dimensions).map(({ name }) => name));
      const inner = tableDimensions.find((name) => !outer.has(name));
      const column = columns.find(({ name }) => readColumns.includes(name));
      if (inner === undefined || column === undefined) continue;
      throw tableCauseError(
        `row.${column.name} of ${location} may differ between ${inner}s, but "${node}" works once for several ${inner}s; use the column in a later node`,
      );
    }
  }
}

function dimensionsOf(key: OpenTable['plannedTable']['key']): string[] {
  return Object.keys(key).filter((name) => name !== 'model');
}

/** Returns the values of the key columns that identify an asset's row, or null if one of them is unknown. */
function findKeyParts(
  { plannedTable: { key: columns, match } }: OpenTable,
  key: string | null,
  source: AssetSource,
): string[] | null {
  const parts = Object.keys(columns).map((name) => {
    if (name !== 'model') return findPosition(source, name)?.name ?? null;
    if (match === 'key') return key;
    return match === 'name' ? sourceFieldsOf(source).name : source.path;
  });
  const knownParts = parts.filter((part) => part !== null);
  return knownParts.length === parts.length ? knownParts : null;
}

function valuesOf(
  { plannedTable: { withoutRow }, location, columns, textOf, lineOf }: OpenTable,
  rows: readonly number[],
  key: readonly string[],
): { values: Record<string, RowValue> } | Exclude<RowOutcome, { row: Row }> {
  const [first, ...others] = rows;
  if (first === undefined) {
    if (withoutRow === 'skip') return 'skipped';
    if (withoutRow === 'empty') {
      const values = columns.map(({ name, type }) => [name, toRowValue('', type)]);
      return { values: Object.fromEntries(values) };
    }
    return failWith(rowFailures.ROW_MISSING, `${location} has no row for "${key.join('", "')}"`);
  }
  const differing = columns.find((_, index) =>
    others.some((row) => textOf(row, index) !== textOf(first, index)),
  );
  if (differing !== undefined) {
    const lines = formatLines(rows.map(lineOf), maxLinesShown);
    const message = `${location} has ${rows.length} rows for "${key.join('", "')}" with different values of "${differing.heading}": ${lines}`;
    return failWith(rowFailures.ROW_AMBIGUOUS, message);
  }
  const values: Record<string, RowValue> = {};
  for (const [index, { name, heading, type }] of columns.entries()) {
    try {
      values[name] = toRowValue(textOf(first, index), type);
    } catch (error) {
      if (!(error instanceof ColumnValueError)) throw error;
      const text = textOf(first, index).slice(0, 60);
      const message = `${location}, line ${lineOf(first)}, column "${heading}": "${text}" ${error.message}`;
      return failWith(rowFailures.ROW_INVALID, message);
    }
  }
  return { values };
}

function failWith(failure: KnownFailure, message: string) {
  return { failure, message };
}

/** Returns the row, with a hash of the values that each stage depends on. */
function withStages({ stages }: TablePlan, values: Record<string, RowValue>): { row: Row } {
  const hashes = Object.entries(stages).map(([stage, columns]) => [
    stage,
    hashOfValues(columns.map((name) => [name, values[name] ?? null])),
  ]);
  const stageHashes = hashes.length > 0 ? { stages: Object.fromEntries(hashes) } : {};
  return { row: { values, ...stageHashes } };
}

const cache = new RunCache<string, Promise<OpenRows | null>>();

/** Opens a run's tables and keeps them for the next discovery pages on this worker. */
export function openRowsOfRun(
  run: string,
  createRows: () => Promise<OpenRows | null>,
): Promise<OpenRows | null> {
  const rows = cache.getOrCreate(run, createRows);
  rows.catch(() => cache.drop(run, rows));
  return rows;
}

/** Frees the cached tables of a run. */
export function dropRowsOfRun(run: string): void {
  cache.drop(run);
}
