// Converts the schemas of operations to JSON Schema, for openapi.json, MCP tools and help.
import { z } from 'zod';
import type { OperationRow } from './operation.ts';
import { shapeOf } from './schema-parts.ts';

export type JsonObject = Record<string, unknown>;

/** JSON Schema. Only the keywords for the fields of an object have types. */
export interface JsonSchema extends JsonObject {
  properties?: Record<string, JsonObject>;
  required?: string[];
}

/** Converts a schema: `input` is what a caller may send, `output` is what a response contains. Drops `fixed` fields. */
export function toJsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    // The schemas are embedded in other documents, where references to their own parts would break.
    cycles: 'throw',
  });
  const { properties, ...others } = rest;
  if (properties === undefined) return others;
  const offered = Object.entries(properties).flatMap(([name, field]) =>
    typeof field === 'object' && field['fixed'] !== true ? [[name, field] as const] : [],
  );
  return { ...rest, properties: Object.fromEntries(offered) };
}

/** Returns the schema of a path parameter, which is an id unless the operation defines another schema. */
export function toParamSchema(row: OperationRow, name: string): JsonSchema {
  const schema = row.params && shapeOf(row.params)[name];
  return schema === undefined
    ? { type: 'string', minLength: 1, description: 'id' }
    : toJsonSchema(schema, 'input');
}
