// The types of columns in CEL. Only checks know them: workers evaluate the values that the rows have.
import type { Environment } from '@marcbachmann/cel-js';
import type { ColumnType } from '../../plan/rows.ts';

/** Types of columns by their names in expressions; a column that is not there is a text. */
export type ColumnTypes = ReadonlyMap<string, ColumnType>;

const celTypes: Record<ColumnType, string> = {
  text: 'string',
  date: 'string',
  number: 'double',
  boolean: 'bool',
};

/** Makes `row` known with the columns that an expression reads. An empty cell of a number or boolean is null. */
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

/** How to give a type to a column that is compared as if it had one; undefined if all columns have types. */
export function typeHint(columns: readonly string[], types: ColumnTypes): string | undefined {
  const name = columns.find((column) => !types.has(column));
  if (name === undefined) return undefined;
  return `row.${name} is a text. Give it a type under \`data:\`: columns: { ${name}: { column: HEADING, type: number } }`;
}
