// Schemas that several operation tables share.
import { z } from 'zod';
import { markProse, markRequired } from './response-marks.ts';

/** Creates the schema of a string enum. The client accepts any string, because the platform may add values. */
export function openEnum(values: readonly string[], description?: string) {
  return z.string().meta({ enum: [...values], ...(description ? { description } : {}) });
}

/** Any JSON value. Not `z.json()`, because that schema refers to itself and cannot be embedded in another one. */
export const anyJson = z.unknown() as z.ZodType<Json, Json>;
export type Json = z.infer<z.ZodJSONSchema>;

export const id = z.string().min(1);
/** An id in the path of an operation whose path the platform's reference does not show (`route: null`). */
export const pathId = id.describe('id');
export const timestamp = z.string().meta({ format: 'date-time' });
export const fileType = z
  .string()
  .regex(/^[a-z0-9]{1,8}$/, 'must be a bare lowercase extension of 1 to 8 letters or digits')
  .describe('Bare lowercase extension without dot.');

/** Paging of lists: `limit` 1-100 (default 50) and `offset` from 0 (default 0). */
export const pageQuery = {
  limit: z.int().min(1).max(100).default(50),
  offset: z.int().min(0).default(0),
};

export const pageFields = { total: z.int(), limit: z.int(), offset: z.int() };

export const batchProject = z.object({ id: z.string(), title: z.string() });

export const ErrorEnvelope = z.object({
  error: z.object({
    code: markRequired(markProse(z.string().describe('Stable machine-readable code'))),
    message: markProse(z.string().describe('Human-readable explanation')),
  }),
});
