// Accessors for parts of zod schemas with exact types.
import { z } from 'zod';

/** Narrows the inner schema of a wrapper, list or record. @throws TypeError for a schema from another copy of zod */
export function asSchema(part: z.core.$ZodType): z.ZodType {
  if (part instanceof z.ZodType) return part;
  throw new TypeError('a part of a schema is not a schema of this copy of zod');
}

export function shapeOf(schema: z.ZodObject): Readonly<Record<string, z.ZodType>> {
  return schema.shape;
}
