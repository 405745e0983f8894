// Alters all parts of one kind in a response at once, according to the schema of its row.
import { z } from 'zod';
import { hasMark } from '../../src/api/contract/response-marks.ts';
import { type OperationId, operations } from '../../src/api/operations/index.ts';

export const dropped = Symbol('dropped');

interface Part {
  operation: OperationId;
  name: string;
  value: unknown;
  schema: z.ZodType;
  /** The parent is unreadable without this part. */
  needed: boolean;
}

/** Alters a part. The parts of the result are altered too. */
export type Alteration = (part: Part) => unknown;

/** The response with all parts that its row names altered. */
export function alterParts(operation: OperationId, body: unknown, odd: Alteration): unknown {
  const { response } = operations[operation];
  if (response === 'redirect') return body;
  return within(response, body, (part) => odd({ ...part, operation }));
}

type AlterPart = (part: Omit<Part, 'operation'>) => unknown;

function within(schema: z.ZodType, value: unknown, odd: AlterPart): unknown {
  const inner = bare(schema);
  if (inner instanceof z.ZodArray && Array.isArray(value)) {
    return value.map((item: unknown) => within(inner.element as z.ZodType, item, odd));
  }
  if (!(inner instanceof z.ZodObject) || typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).flatMap(([name, part]: [string, unknown]) => {
    const field = inner.shape[name] as z.ZodType | undefined;
    if (field === undefined) return [[name, part]];
    const made = odd({ name, value: part, schema: bare(field), needed: hasMark(field, 'needed') });
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

/** A value of another type that cannot be converted. */
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
  (odd: (value: unknown) => unknown): Alteration =>
  ({ value, needed }) =>
    needed ? value : odd(value);

/** Several alterations, one after another. */
export const allOf =
  (...odd: readonly Alteration[]): Alteration =>
  (part) =>
    odd.reduce<unknown>(
      (value, one) => (value === dropped ? value : one({ ...part, value })),
      part.value,
    );

export const alterations = {
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
} satisfies Record<string, Alteration>;
