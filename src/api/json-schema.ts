// A row's schemas as JSON Schema, for openapi.json, MCP tools and help.
import { z } from 'zod';
import type { OperationRow } from './operation.ts';

export type JsonObject = Record<string, unknown>;

/** `input`: what a caller may send, without fields marked `fixed`. `output`: what an answer holds. */
export function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonObject {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    // Schemas stand inside other documents, where a reference to their own parts would break.
    cycles: 'throw',
  });
  if (rest.properties === undefined) return rest;
  const offered = Object.entries(rest.properties).filter(
    ([, field]) => typeof field !== 'object' || field['fixed'] !== true,
  );
  return { ...rest, properties: Object.fromEntries(offered) };
}

/** A path parameter: an id, unless the row says more. */
export function paramSchema(row: OperationRow, name: string): JsonObject {
  const known = row.params?.shape[name];
  return known === undefined
    ? { type: 'string', minLength: 1, description: 'id' }
    : jsonSchema(known as z.ZodType, 'input');
}
