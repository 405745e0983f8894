// Limits of a response: its bytes as it arrives, its depth and values before parsing, and its items before reading.
import { z } from 'zod';
import type { OperationRow } from '../contract/operation.ts';
import { asSchema, shapeOf } from '../contract/schema-parts.ts';
import type { JsonBounds } from './bounded-json.ts';

export interface ResponseLimits {
  bytes: number;
  /** Maximum number of items of each list. */
  items: number;
}

const mebibyte = 1024 * 1024;
/** Maximum number of bytes of a response with lists. A hundred items with all their properties take about 500 kB. */
export const maxListBytes = 8 * mebibyte;
export const maxResourceBytes = 2 * mebibyte;
/** Maximum number of items of a list if the operation sets no other limit. */
export const maxResponseItems = 10_000;

export const responseBounds: JsonBounds = { values: 250_000, depth: 64 };
/** Fix shown for responses beyond a limit. */
export const responseLimitFix =
  'request fewer items at once, or check which server responds at the platform address';

export function limitsOf(row: OperationRow): ResponseLimits {
  const items =
    pageLimitOf(row.query) ?? pageLimitOf(row.body) ?? row.batch?.max ?? maxResponseItems;
  return { bytes: hasLists(row.response) ? maxListBytes : maxResourceBytes, items };
}

function pageLimitOf(schema: z.ZodType | undefined): number | undefined {
  if (!(schema instanceof z.ZodObject)) return undefined;
  const field: unknown = schema.shape['limit'];
  const limit = field instanceof z.ZodDefault ? field.unwrap() : field;
  return limit instanceof z.ZodNumber ? (limit.maxValue ?? undefined) : undefined;
}

/** True for a response with a list, or with fields beyond its schema, which may be lists. */
function hasLists(response: OperationRow['response']): boolean {
  if (!(response instanceof z.ZodObject) || response.def.catchall !== undefined) return true;
  return Object.values(shapeOf(response)).some((part) => unwrapSchema(part) instanceof z.ZodArray);
}

function unwrapSchema(schema: z.ZodType): z.ZodType {
  const isWrapped = schema instanceof z.ZodOptional || schema instanceof z.ZodNullable;
  return isWrapped ? unwrapSchema(asSchema(schema.unwrap())) : schema;
}

/** Finds the first top-level list with too many items, and describes the problem. Returns null if there is none. */
export function findTooLongList(
  body: unknown,
  items: number,
): { path: string; problem: string } | null {
  if (typeof body !== 'object' || body === null) return null;
  for (const [path, part] of Object.entries(body)) {
    if (!Array.isArray(part) || part.length <= items) continue;
    const problem = `expected at most ${items} items, received ${part.length}; ${responseLimitFix}`;
    return { path, problem };
  }
  return null;
}
