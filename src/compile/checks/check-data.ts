import { dimensionNames } from '../../language/dimension-names.ts';
import type { ColumnTypes } from '../../language/expressions/typed-columns.ts';
import { formatSuggestion } from '../../language/format-suggestion.ts';
import type { ColumnType } from '../../plan/rows.ts';
import type { Json } from '../../plan/types.ts';
import { DataTable } from '../data-table.ts';
import { dimensionsOf, findSourceTable, toFields } from '../node-draft.ts';
import type { Pipeline } from '../pipeline.ts';
import { columnsOfKey } from '../rows.ts';
import type { Path } from '../yaml/document.ts';
import type { GraphScope } from './check-graph.ts';

/** Checks the tables, and the table that lists the assets. The graph must have no cycles. */
export function checkData({ data, key }: Pick<Pipeline, 'data' | 'key'>, scope: GraphScope): void {
  const { document, graph } = scope;
  const refuse = (path: Path, message: string, hint?: string) =>
    document.error('RL204', ['data', ...path], message, hint);
  const dimensions = graph.order().flatMap(dimensionsOf);
  const dimensionsInUse: string[] = dimensions.map(({ dimension }) => dimension.name);
  const areConfigsValid = graph.nodes.every(({ config }) => config !== null);
  const owners = new Map<string, string>();
  for (const [name, table] of Object.entries(data)) {
    if (table.sheet !== undefined && !/\.xls[xm]$/i.test(table.path)) {
      refuse([name, 'sheet'], `${table.path} has no sheets; only a workbook (.xlsx) has`);
    }
    for (const part of typeof table.key === 'string' ? [] : Object.keys(table.key)) {
      // The dimensions of an invalid node are unknown.
      if (part === 'model' || dimensionsInUse.includes(part) || !areConfigsValid) continue;
      const isDimension = dimensionNames.some((dimensionName) => dimensionName === part);
      const message = isDimension
        ? `no node in this pipeline creates a ${part} for each model`
        : `"${part}" is not a valid key part`;
      refuse([name, 'key', part], message, formatSuggestion(part, ['model', ...dimensionsInUse]));
    }
    for (const column of Object.keys(table.columns)) {
      const owner = owners.get(column);
      owners.set(column, name);
      if (owner === undefined) continue;
      const hint = 'Rename one of the two columns.';
      refuse([name, 'columns', column], `row.${column} is already a column of "${owner}"`, hint);
    }
  }
  checkList({ data, key }, scope);
  const tables = Object.values(data);
  const isKeyed = key !== undefined && columnsOfKey(key).length > 0;
  if (!isKeyed || tables.length === 0 || tables.some(({ match }) => match !== 'key')) return;
  const message = 'key: reads a row, but rows are found by the key';
  const hint = 'Add `match: path` or `match: name` to the table.';
  document.error('RL505', ['key'], message, hint);
}

/** Returns the column types under `columns:`, or undefined if a table is invalid, which is reported elsewhere. */
export function findColumnTypes(data: Readonly<Record<string, Json>>): ColumnTypes | undefined {
  const types = new Map<string, ColumnType>();
  for (const table of Object.values(data)) {
    const columns = DataTable.shape.columns.safeParse(toFields(table)?.['columns']);
    if (!columns.success) return undefined;
    for (const [name, column] of Object.entries(columns.data)) {
      types.set(name, typeof column === 'string' ? 'text' : column.type);
    }
  }
  return types;
}

/** Checks the table whose rows are the assets. */
function checkList(
  { data, key }: Pick<Pipeline, 'data' | 'key'>,
  { document, graph }: GraphScope,
): void {
  const [root] = graph.order();
  const list = root ? findSourceTable(root) : null;
  if (root === undefined || list === null) return;
  const tablePath = [...root.path, 'config', 'list', 'table'];
  const refuse = (path: Path, message: string, hint?: string) =>
    document.error('RL204', path, message, hint);
  const table = data[list.table];
  if (table === undefined) {
    const suggestion = formatSuggestion(list.table, Object.keys(data));
    const hint = suggestion ?? `Define the table: data: { ${list.table}: … }`;
    return refuse(tablePath, `the table "${list.table}" does not exist under data`, hint);
  }
  const hasModelKey = typeof table.key === 'string' || table.key['model'] !== undefined;
  if (table.match !== 'key' || !hasModelKey) {
    const hint = 'Set `key` of the table to the column with the keys, without `match`.';
    refuse(tablePath, `the rows of "${list.table}" have no keys usable for assets`, hint);
  }
  if (key !== undefined) {
    refuse(['key'], "an asset that comes from a row has the row's key", 'Delete `key`.');
  }
  if (toFields(root.config ?? undefined)?.['identity'] !== 'content') return;
  const hint = 'Delete `identity`: the path in a row may change at any time.';
  refuse([...root.path, 'config', 'identity'], 'rows are recognized by their keys', hint);
}
