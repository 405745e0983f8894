// Converts the parameters and results of an operation to JSON schemas, which are the source of generated tables.
import type { z } from 'zod';
import { toJsonSchema, toParamSchema } from '../../api/contract/json-schema.ts';
import type { OperationRow } from '../../api/contract/operation.ts';
import { pathParamNames } from '../../api/requests/request-url.ts';
import type { AnnotatedSchema } from '../../compile/yaml/annotations.ts';

/** Returns the fields of a query, body or response. For a union of objects, returns the fields of the first object. */
export function schemaFieldsOf(
  schema: z.ZodType | undefined,
  io: 'input' | 'output',
): AnnotatedSchema {
  const json: AnnotatedSchema = schema === undefined ? {} : toJsonSchema(schema, io);
  return json.properties === undefined ? (json.anyOf?.[0] ?? json) : json;
}

/** Returns the path parameters. If the path is not documented, returns the parameters that the path must contain. */
export function pathFieldsOf(row: OperationRow): AnnotatedSchema {
  if (row.route === null) return schemaFieldsOf(row.params, 'input');
  const names = pathParamNames(row.route);
  const properties = Object.fromEntries(names.map((name) => [name, toParamSchema(row, name)]));
  return { properties, required: names };
}
