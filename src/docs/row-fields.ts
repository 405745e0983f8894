// Converts the parameters and results of an operation to JSON schemas, from which tables are generated.
import type { z } from 'zod';
import { jsonSchema, paramSchema } from '../api/contract/json-schema.ts';
import type { OperationRow } from '../api/contract/operation.ts';
import { pathNames } from '../api/requests/request-url.ts';
import type { AnnotatedSchema } from '../compile/yaml/annotations.ts';

/** The fields of a query, body or response; for a union of objects, the fields of the first. */
export function schemaFields(
  schema: z.ZodType | undefined,
  io: 'input' | 'output',
): AnnotatedSchema {
  const json: AnnotatedSchema = schema === undefined ? {} : jsonSchema(schema, io);
  return json.properties === undefined ? (json.anyOf?.[0] ?? json) : json;
}

/** The path parameters. If the path is not documented, the parameters that it must contain. */
export function pathFields(row: OperationRow): AnnotatedSchema {
  if (row.route === null) return schemaFields(row.params, 'input');
  const names = pathNames(row.route);
  const properties = Object.fromEntries(names.map((name) => [name, paramSchema(row, name)]));
  return { properties, required: names };
}
