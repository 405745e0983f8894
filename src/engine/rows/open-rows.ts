// Opens the tables of a plan, and finds the row of each asset.
import { nearestHint } from '../../api/requests/nearest-name.ts';
import type { Connector } from '../../connectors/connector.ts';
import type { KnownFailure } from '../../failures/define.ts';
import { rowFailures } from '../../failures/rows.ts';
import { sourceFields } from '../../language/expressions.ts';
import { type PlannedDimension, positionOf } from '../../plan/grid.ts';
import { formatFirst } from '../../plan/helpers/format-first.ts';
import type { PlannedRows, Row, RowValue } from '../../plan/rows.ts';
import type { AssetSource } from '../../plan/types.ts';
import type { RowOutcome, Rows } from '../../store/discovery/rows.ts';
import { ColumnValueError, emptyValue, toRowValue } from './column-values.ts';
import { hashOfValues, type OpenTable, openTable, tableCause } from './open-table.ts';

/** Maximum size of the values of one row, which are in the page of every shard. */
export const maxRowBytes = 4_096;
const linesShown = 5;

interface RowsContext {
  connectorNamed: (name: string) => Connector;
  grid: readonly PlannedDimension[];
}

/**
 * Returns null if the plan has no tables.
 * @throws RunCauseError if a table cannot be read, or if no table has a column that the pipeline reads
 */
export async function openRows(
  planned: PlannedRows | undefined,
  { connectorNamed, grid }: RowsContext,
): Promise<Rows | null> {
  if (planned === undefined) return null;
  const tables: OpenTable[] = [];
  for (const table of planned.tables) {
    tables.push(await openTable(table, planned.reads, connectorNamed(table.connector)));
  }
  assertColumns(planned, tables);
  assertShared(planned, tables, grid);
  const used = tables.map(() => new Set<number>());
  return {
    isForKeys: planned.isForKeys ?? false,
    rowOf(key, source) {
      const values: Record<string, RowValue> = {};
      for (const [at, table] of tables.entries()) {
        const parts = keyParts(table, key, source);
        if (parts === null) continue;
        const rows = table.rowsOf(parts);
        for (const row of rows) used[at]?.add(row);
        const found = valuesOf(table, rows, parts);
        if (found === 'skipped' || 'failure' in found) return found;
        Object.assign(values, found.values);
      }
      return withStages(planned, values);
    },
    unusedWarnings: (node) =>
      tables.flatMap((table, at) => {
        const rows = Array.from({ length: table.rows }, (_, row) => row);
        const unused = rows.filter((row) => !used[at]?.has(row));
        if (unused.length === 0) return [];
        const lines = formatFirst(
          unused.map((row) => String(table.lineOf(row))),
          linesShown,
        );
        const count = unused.length === 1 ? '1 row belongs' : `${unused.length} rows belong`;
        return [{ key: node, message: `${table.place}: ${count} to no asset: lines ${lines}` }];
      }),
  };
}

/** @throws RunCauseError if a column that the pipeline reads is in no table, or in two */
function assertColumns({ reads }: PlannedRows, tables: readonly OpenTable[]): void {
  for (const name of reads) {
    const having = tables.filter(({ headings }) => headings.has(name));
    const [first, second] = having;
    if (second !== undefined && first !== undefined) {
      throw tableCause(
        `row.${name} is a column of two tables: "${first.headings.get(name)}" of ${first.place} and "${second.headings.get(name)}" of ${second.place}; give one of them another name under \`columns\``,
      );
    }
    if (first !== undefined) continue;
    const known = tables.flatMap(({ headings }) => [...headings.keys()]);
    const hint = nearestHint(name, known) ?? `its columns are ${formatFirst(known, 20)}`;
    const places = tables.map(({ place }) => place).join(', ');
    throw tableCause(`row.${name} is no column of ${places}; ${hint}`);
  }
}

/** @throws RunCauseError if work that is done once for several cells reads a column that may differ between them */
function assertShared(
  { shared }: PlannedRows,
  tables: readonly OpenTable[],
  grid: readonly PlannedDimension[],
): void {
  for (const { planned, place, columns } of tables) {
    const along = dimensionsOf(planned.key);
    for (const { node, dimensions, columns: read } of shared) {
      const outer = new Set(grid.slice(0, dimensions).map(({ name }) => name));
      const inner = along.find((name) => !outer.has(name));
      const column = columns.find(({ name }) => read.includes(name));
      if (inner === undefined || column === undefined) continue;
      throw tableCause(
        `row.${column.name} of ${place} may differ by ${inner}, and "${node}" does its work once for several of them; read it in a later node`,
      );
    }
  }
}

function dimensionsOf(key: OpenTable['planned']['key']): string[] {
  return Object.keys(key).filter((name) => name !== 'model');
}

/** What the key columns of a table must hold for an asset; null if the table cannot be asked yet. */
function keyParts(
  { planned: { key: columns, match } }: OpenTable,
  key: string | null,
  source: AssetSource,
): string[] | null {
  const parts = Object.keys(columns).map((name) => {
    if (name !== 'model') return positionOf(source, name)?.name ?? null;
    if (match === 'key') return key;
    return match === 'name' ? sourceFields(source).name : source.path;
  });
  const known = parts.filter((part) => part !== null);
  return known.length === parts.length ? known : null;
}

function valuesOf(
  { planned: { withoutRow, name: table }, place, columns, textOf, lineOf }: OpenTable,
  rows: readonly number[],
  key: readonly string[],
): { values: Record<string, RowValue> } | Exclude<RowOutcome, { row: Row }> {
  const [first, ...others] = rows;
  if (first === undefined) {
    if (withoutRow === 'skip') return 'skipped';
    if (withoutRow === 'empty') {
      return {
        values: Object.fromEntries(columns.map(({ name, type }) => [name, emptyValue(type)])),
      };
    }
    return failed(rowFailures.ROW_MISSING, `${place} has no row for "${key.join('", "')}"`);
  }
  const differing = columns.find((_, at) =>
    others.some((row) => textOf(row, at) !== textOf(first, at)),
  );
  if (differing !== undefined) {
    const lines = formatFirst(
      rows.map((row) => String(lineOf(row))),
      linesShown,
    );
    const message = `${place} has ${rows.length} rows for "${key.join('", "')}" with different values of "${differing.heading}": lines ${lines}`;
    return failed(rowFailures.ROW_AMBIGUOUS, message);
  }
  const values: Record<string, RowValue> = {};
  for (const [at, { name, heading, type }] of columns.entries()) {
    try {
      values[name] = toRowValue(textOf(first, at), type);
    } catch (error) {
      if (!(error instanceof ColumnValueError)) throw error;
      const text = textOf(first, at).slice(0, 60);
      const message = `${place}, line ${lineOf(first)}, column "${heading}": "${text}" ${error.message}`;
      return failed(rowFailures.ROW_INVALID, message);
    }
  }
  if (JSON.stringify(values).length > maxRowBytes) {
    const message = `${place}, line ${lineOf(first)}: the columns that the pipeline reads of ${table} hold more than ${maxRowBytes} characters`;
    return failed(rowFailures.ROW_INVALID, message);
  }
  return { values };
}

function failed(failure: KnownFailure, message: string) {
  return { failure, message };
}

/** Hashes the values that decide about each stage. */
function withStages({ stages }: PlannedRows, values: Record<string, RowValue>): { row: Row } {
  const hashes = Object.entries(stages).map(([stage, columns]) => [
    stage,
    hashOfValues(columns.map((name) => [name, values[name] ?? null])),
  ]);
  return {
    row: { values, ...(hashes.length > 0 ? { stages: Object.fromEntries(hashes) } : {}) },
  };
}
