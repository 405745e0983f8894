// Changes all parts of a kind in a response, by the schema of the row.
import { z } from 'zod';
import { isNeeded } from '../../src/api/answer-parts.ts';
import { type OperationId, operations } from '../../src/api/operations/index.ts';

export const dropped = Symbol('dropped');

interface Part {
  operation: OperationId;
  name: string;
  value: unknown;
  schema: z.ZodType;
  /** True if the enclosing value cannot be parsed without the part. */
  needed: boolean;
}

/** Replaces a part; the parts of the new value are visited too. */
export type Oddness = (part: Part) => unknown;

/** The response with every documented part changed. */
export function oddly(operation: OperationId, body: unknown, odd: Oddness): unknown {
  const { response } = operations[operation];
  if (response === 'redirect') return body;
  return within(response, body, (part) => odd({ ...part, operation }));
}

type InPlace = (part: Omit<Part, 'operation'>) => unknown;

function within(schema: z.ZodType, value: unknown, odd: InPlace): unknown {
  const inner = bare(schema);
  if (inner instanceof z.ZodArray && Array.isArray(value)) {
    return value.map((item: unknown) => within(inner.element as z.ZodType, item, odd));
  }
  if (!(inner instanceof z.ZodObject) || typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).flatMap(([name, part]: [string, unknown]) => {
    const field = inner.shape[name] as z.ZodType | undefined;
    if (field === undefined) return [[name, part]];
    const made = odd({ name, value: part, schema: bare(field), needed: isNeeded(field) });
    return made === dropped ? [] : [[name, within(field, made, odd)]];
  });
  return Object.fromEntries(entries);
}

function bare(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) {
    return bare(schema.unwrap() as z.ZodType);
  }
  return schema;
}

/** A value of another type that cannot be coerced. */
export function otherType(value: unknown): unknown {
  return Array.isArray(value) || typeof value !== 'object' ? { odd: [true] } : ['odd'];
}

export function knownValues(schema: z.ZodType): readonly string[] | undefined {
  return (schema.meta() as { enum?: readonly string[] } | undefined)?.enum;
}

export function otherCase(text: string): string {
  return text === text.toLowerCase() ? text.toUpperCase() : text.toLowerCase();
}

const unlessNeeded =
  (odd: (value: unknown) => unknown): Oddness =>
  ({ value, needed }) =>
    needed ? value : odd(value);

/** Applies several changes one after the other. */
export const allOf =
  (...odd: readonly Oddness[]): Oddness =>
  (part) =>
    odd.reduce<unknown>(
      (value, one) => (value === dropped ? value : one({ ...part, value })),
      part.value,
    );

export const odd = {
  missing: unlessNeeded(() => dropped),
  ofOtherType: unlessNeeded(otherType),
  more: ({ value }) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? { ...value, odd: { further: [1] } }
      : value,
  asText: ({ value }) =>
    typeof value === 'number' || typeof value === 'boolean' ? String(value) : value,
  inOtherCase: ({ value, schema }) =>
    typeof value === 'string' && knownValues(schema) ? otherCase(value) : value,
  twice: ({ value, schema }) =>
    Array.isArray(value) && schema instanceof z.ZodArray && schema.element instanceof z.ZodObject
      ? value.flatMap((item: unknown) => [item, structuredClone(item)])
      : value,
} satisfies Record<string, Oddness>;
