// Reads the annotations of a schema's fields, and which fields exist, without knowing any node type.
import { z } from 'zod';
import { memoizeByObject } from '../../plan/helpers/memoize.ts';
import type { Json } from '../../plan/types.ts';
import type { Path } from './document.ts';

/** The part of JSON Schema that our zod schemas use, with the annotations of `language/fields.ts`. */
export interface AnnotatedSchema {
  type?: string | string[];
  properties?: Record<string, AnnotatedSchema>;
  required?: string[];
  additionalProperties?: boolean | AnnotatedSchema;
  items?: AnnotatedSchema;
  anyOf?: AnnotatedSchema[];
  oneOf?: AnnotatedSchema[];
  allOf?: AnnotatedSchema[];
  enum?: Json[];
  const?: Json;
  default?: Json;
  description?: string;
  reference?: string;
  language?: string;
  [keyword: string]: unknown;
}

/** Converts a schema to JSON Schema draft-07. Schemas are immutable, so the result is cached. */
export const jsonSchemaOf = memoizeByObject((schema: z.ZodType): AnnotatedSchema => {
  const jsonSchema = z.toJSONSchema(schema, {
    target: 'draft-7',
    io: 'input',
    reused: 'inline',
    // Parts of the result are embedded in other schemas, where references to its definitions would be invalid.
    cycles: 'throw',
  });
  return JSON.parse(JSON.stringify(jsonSchema));
});

export interface AnnotatedText {
  path: Path;
  value: string;
  reference: string | undefined;
  language: string | undefined;
}

/** Finds every string in `value` whose field has an annotation. */
export function* findAnnotatedTexts(
  schema: AnnotatedSchema,
  value: Json,
  path: Path = [],
): Generator<AnnotatedText> {
  const { reference, language } = schema;
  if (typeof value === 'string' && (reference !== undefined || language !== undefined)) {
    yield { path, value, reference, language };
  }
  for (const branch of branchesOf(schema)) yield* findAnnotatedTexts(branch, value, path);
  if (typeof value !== 'object' || value === null) return;
  for (const [name, item] of Object.entries(value)) {
    const step = Array.isArray(value) ? Number(name) : name;
    for (const inner of innerSchemasOf([schema], step))
      yield* findAnnotatedTexts(inner, item, [...path, step]);
  }
}

/**
 * Replaces numbers with their source text in fields that accept both numbers and text with expressions, so that 0510
 * stays the text 0510 while 510 is a number.
 * @param typedAt returns the source text of the number at a path. Null if the number is not from the file
 */
export function restoreTypedNumbers(
  schema: AnnotatedSchema,
  value: Json,
  typedAt: (path: Path) => string | null,
  path: Path = [],
): Json {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  const schemas = withBranches([schema]);
  if (typeof value === 'number') {
    const takesBoth =
      schemas.some(({ type }) => type === 'number') &&
      schemas.some(({ language }) => language === 'value');
    if (!takesBoth) return value;
    const typed = typedAt(path);
    return typed === null || typed === String(value) ? value : typed;
  }
  const restore = (item: Json, step: string | number) => {
    const inner = { anyOf: innerSchemasOf(schemas, step) };
    return restoreTypedNumbers(inner, item, typedAt, [...path, step]);
  };
  if (Array.isArray(value)) return value.map(restore);
  const entries = Object.entries(value);
  return Object.fromEntries(entries.map(([key, item]) => [key, restore(item, key)]));
}

/** Lists the names of the fields that the schema defines for a mapping at `path`. */
export function listKnownKeys(schema: AnnotatedSchema, path: Path): string[] {
  let schemas: AnnotatedSchema[] = withBranches([schema]);
  for (const step of path) {
    schemas = withBranches(innerSchemasOf(schemas, step));
  }
  return [...new Set(schemas.flatMap((branch) => Object.keys(branch.properties ?? {})))];
}

function withBranches(schemas: readonly AnnotatedSchema[]): AnnotatedSchema[] {
  return schemas.flatMap((schema) => [schema, ...withBranches(branchesOf(schema))]);
}

function branchesOf(schema: AnnotatedSchema): AnnotatedSchema[] {
  return [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])];
}

/** Returns the schemas of a field of a mapping, or of an item of a list. */
function innerSchemasOf(
  schemas: readonly AnnotatedSchema[],
  step: string | number,
): AnnotatedSchema[] {
  const innerSchemas = schemas.map(({ properties, additionalProperties, items }) => {
    if (typeof step === 'number') return items;
    if (properties !== undefined && Object.hasOwn(properties, step)) return properties[step];
    return typeof additionalProperties === 'object' ? additionalProperties : undefined;
  });
  return innerSchemas.filter((inner) => inner !== undefined);
}

/** True if text in this language is a CEL expression. */
export function isCelLanguage(language: string | undefined): boolean {
  return language === 'cel' || language === 'variant cel';
}
