// The fields that an operation's row takes and gives, in the form that tables are made from.
import type { z } from 'zod';
import { jsonSchema, paramSchema } from '../api/json-schema.ts';
import type { OperationRow } from '../api/operation.ts';
import { pathNames } from '../api/request-url.ts';
import type { JsonSchema } from '../compile/yaml/marks.ts';

/** Fields of a query, body or answer; of a choice between objects, the fields of the first. */
export function schemaFields(schema: z.ZodType | undefined, io: 'input' | 'output'): JsonSchema {
  const json: JsonSchema = schema === undefined ? {} : jsonSchema(schema, io);
  return json.properties === undefined ? (json.anyOf?.[0] ?? json) : json;
}

/** Path parameters; without a known path, those that the path must contain. */
export function pathFields(row: OperationRow): JsonSchema {
  if (row.route === null) return schemaFields(row.params, 'input');
  const names = pathNames(row.route);
  const properties = Object.fromEntries(names.map((name) => [name, paramSchema(row, name)]));
  return { properties, required: names };
}
