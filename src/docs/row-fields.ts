// Converts the parameters and results of an operation to JSON schemas, from which tables are generated.
import type { z } from 'zod';
import { toJsonSchema, toParamSchema } from '../api/contract/json-schema.ts';
import type { OperationRow } from '../api/contract/operation.ts';
import { pathNamesOf } from '../api/requests/request-url.ts';
import type { AnnotatedSchema } from '../compile/yaml/annotations.ts';

/** The fields of a query, body or response; for a union of objects, the fields of the first. */
export function schemaFieldsOf(
  schema: z.ZodType | undefined,
  io: 'input' | 'output',
): AnnotatedSchema {
  const json: AnnotatedSchema = schema === undefined ? {} : toJsonSchema(schema, io);
  return json.properties === undefined ? (json.anyOf?.[0] ?? json) : json;
}

/** The path parameters. If the path is not documented, the parameters that it must contain. */
export function pathFieldsOf(row: OperationRow): AnnotatedSchema {
  if (row.route === null) return schemaFieldsOf(row.params, 'input');
  const names = pathNamesOf(row.route);
  const properties = Object.fromEntries(names.map((name) => [name, toParamSchema(row, name)]));
  return { properties, required: names };
}
