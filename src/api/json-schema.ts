// A row's schemas as JSON Schema, for openapi.json, MCP tools and help.
import { z } from 'zod';

export type JsonObject = Record<string, unknown>;

/** `input`: what a caller may send. `output`: what an answer holds. */
export function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonObject {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  return rest;
}
