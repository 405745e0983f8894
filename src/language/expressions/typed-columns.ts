// Types of columns in CEL. Only the checks of a file use them, because for workers all columns are `dyn`.
import type { Environment } from '@marcbachmann/cel-js';
import type { ColumnType } from '../../plan/rows.ts';

/** Types of columns by their names in expressions. A column that is not listed is text. */
export type ColumnTypes = ReadonlyMap<string, ColumnType>;

const celTypes: Record<ColumnType, string> = {
  text: 'string',
  date: 'string',
  number: 'double',
  boolean: 'bool',
};

/**
 * Registers `row` with the columns that an expression reads. Numbers and booleans can be compared with null, because
 * an empty cell is null. Numbers can be searched in lists of integers.
 */
export function registerColumns(
  environment: Environment,
  columns: readonly string[],
  types: ColumnTypes,
): Environment {
  const schema = Object.fromEntries(
    columns.map((name) => [name, celTypes[types.get(name) ?? 'text']]),
  );
  const isNull = () => false;
  return environment
    .registerVariable({ name: 'row', schema })
    .registerOperator('double == null', isNull)
    .registerOperator('bool == null', isNull)
    .registerOperator('double in list<int>: bool', isNull);
}

/** Creates a hint on declaring the type of the first column without one. Returns undefined if all have types. */
export function suggestConversion(
  columns: readonly string[],
  types: ColumnTypes,
): string | undefined {
  const name = columns.find((column) => !types.has(column));
  if (name === undefined) return undefined;
  return `row.${name} is text. Set its type under \`data:\`: columns: { ${name}: { column: HEADING, type: number } }`;
}
