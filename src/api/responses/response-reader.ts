// Reads responses of the platform leniently according to the operations' schemas. Unknown fields are ignored, parts
// that are not required may be wrong or missing, and each deviation from the schema is recorded as an anomaly.

import { z } from 'zod';
import { hasMark, type ResponseOf } from '../contract/response-marks.ts';
import { asSchema, shapeOf } from '../contract/schema-parts.ts';
import { formatIssues } from '../format-issue.ts';
import { isObject } from '../unknown-values.ts';
import { maxPlainTextLength } from './plain-text.ts';
import {
  booleanOf,
  dataOf,
  idOf,
  matchKnownValue,
  nameOf,
  numberOf,
  textOf,
  UnreadableValue,
  wrongTypeValue,
} from './response-values.ts';
import { toSafeMessage } from './scrub.ts';

/** A deviation of a response from its schema, and how it was read. */
export interface Anomaly {
  /** Path in the response, with a star in place of item numbers: `renders.*.resolution`. */
  path: string;
  what: string;
}

/** Maximum number of anomalies per response. If every item deviates, they all deviate in the same way. */
const maxAnomalies = 200;

/** The current path in the response, and the anomalies found so far. */
class ReadContext {
  readonly currentPath: (string | number)[] = [];
  readonly anomalies: Anomaly[] = [];

  recordAnomaly(problem: string, subpath: readonly (string | number)[] = []): void {
    if (this.anomalies.length >= maxAnomalies) return;
    const steps = [...this.currentPath, ...subpath].map((step) =>
      typeof step === 'number' ? '*' : step,
    );
    this.anomalies.push({ path: steps.join('.'), what: problem });
  }
}

/** Returns undefined for an absent part. */
type Reader = (value: unknown, context: ReadContext) => unknown;

const readers = new WeakMap<z.ZodType, Reader>();

export interface ReadParts<Schema> {
  value: ResponseOf<Schema> | UnreadableValue;
  anomalies: readonly Anomaly[];
}

/** Reads a response by its schema. Returns the value, or why a required part is unreadable, with all anomalies. */
export function readParts<Schema extends z.ZodType>(
  schema: Schema,
  response: unknown,
): ReadParts<Schema> {
  const context = new ReadContext();
  let value = readerOf(schema)(response, context);
  if (value instanceof UnreadableValue && !hasNeededParts(schema)) {
    context.recordAnomaly(value.problem, value.path);
    value = {};
  }
  // The reader and the type both follow the schema, so the assertion is safe.
  return { value: value as ResponseOf<Schema> | UnreadableValue, anomalies: context.anomalies };
}

/** True if callers need some part of the response. If not, only the status counts. */
export function hasNeededParts(schema: z.ZodType): boolean {
  if (schema instanceof z.ZodUnknown) return false;
  if (!(schema instanceof z.ZodObject)) return true;
  return Object.values(shapeOf(schema)).some((field) => hasMark(field, 'needed'));
}

function readerOf(schema: z.ZodType): Reader {
  const existingReader = readers.get(schema);
  if (existingReader) return existingReader;
  const reader = hasMark(schema, 'needed')
    ? createNonEmptyReader(createReader(schema))
    : createReader(schema);
  readers.set(schema, reader);
  return reader;
}

/** Refuses empty text in a required part. */
function createNonEmptyReader(reader: Reader): Reader {
  return (value, context) => {
    const part = reader(value, context);
    return part === '' ? new UnreadableValue('expected text, received empty text') : part;
  };
}

function createReader(schema: z.ZodType): Reader {
  if (schema instanceof z.ZodOptional) return createOptionalReader(asSchema(schema.unwrap()));
  if (schema instanceof z.ZodNullable) return createNullableReader(asSchema(schema.unwrap()));
  if (schema instanceof z.ZodObject) return createObjectReader(schema);
  if (schema instanceof z.ZodArray) return listReader(schema);
  if (schema instanceof z.ZodRecord) return recordReader(schema);
  if (schema instanceof z.ZodString) return createTextReader(schema);
  if (schema instanceof z.ZodNumber)
    return createScalarReader(schema, numberOf, 'read as a number');
  if (schema instanceof z.ZodBoolean)
    return createScalarReader(schema, booleanOf, 'read as true or false');
  return createScalarReader(schema, (value) => value, '');
}

/** Treats null like undefined, because servers differ in which of the two they send. */
function createOptionalReader(inner: z.ZodType): Reader {
  const reader = readerOf(inner);
  return (value, context) =>
    value === undefined || (value === null && !isNullable(inner))
      ? undefined
      : reader(value, context);
}

function createNullableReader(inner: z.ZodType): Reader {
  const reader = readerOf(inner);
  return (value, context) =>
    value === null || value === undefined ? null : reader(value, context);
}

function createObjectReader(schema: z.ZodObject): Reader {
  const isLoose = schema.def.catchall !== undefined;
  const fields = Object.entries(shapeOf(schema)).map(([name, part]) => {
    return {
      name,
      read: readerOf(part),
      needed: hasMark(part, 'needed'),
      nullable: isNullable(part),
    };
  });
  return (value, context) => {
    if (!isObject(value)) return wrongTypeValue('an object', value);
    const object: Record<string, unknown> = isLoose ? { ...value } : {};
    for (const { name, read, needed, nullable } of fields) {
      if (isLoose) delete object[name];
      const fieldValue = value[name];
      const isAbsent = fieldValue === undefined || (fieldValue === null && !nullable);
      if (isAbsent && !needed) continue;
      context.currentPath.push(name);
      const part = read(fieldValue, context);
      context.currentPath.pop();
      if (!(part instanceof UnreadableValue)) {
        if (part !== undefined) object[name] = part;
        continue;
      }
      if (needed) return prependStep(part, name);
      context.recordAnomaly(`${part.problem}; ignored`, [name, ...part.path]);
    }
    return object;
  };
}

function listReader(schema: z.ZodArray): Reader {
  const read = readerOf(asSchema(schema.element));
  const isItemwise = hasMark(schema, 'items');
  return (value, context) => {
    if (!Array.isArray(value)) return wrongTypeValue('a list', value);
    const list: unknown[] = [];
    for (const [index, item] of value.entries()) {
      context.currentPath.push(index);
      const part = read(item, context);
      context.currentPath.pop();
      if (!(part instanceof UnreadableValue)) list.push(part);
      else if (!isItemwise) return prependStep(part, index);
      else context.recordAnomaly(`${part.problem}; the item is omitted`, [index, ...part.path]);
    }
    // The property is not enumerable, so that loops over the items skip it.
    const unread = { value: value.length - list.length };
    return isItemwise ? Object.defineProperty(list, 'unread', unread) : list;
  };
}

function recordReader(schema: z.ZodRecord): Reader {
  const read = readerOf(asSchema(schema.valueType));
  return (value, context) => {
    if (!isObject(value)) return wrongTypeValue('an object', value);
    const entries: [string, unknown][] = [];
    for (const [name, item] of Object.entries(value)) {
      const part = read(item, context);
      if (part instanceof UnreadableValue) return prependStep(part, name);
      entries.push([name, part]);
    }
    return Object.fromEntries(entries);
  };
}

function createTextReader(schema: z.ZodString): Reader {
  const { enum: known, contentMediaType } = schema.meta() ?? {};
  const values: readonly string[] | undefined = Array.isArray(known) ? known : undefined;
  if (hasMark(schema, 'id')) return createScalarReader(schema, idOf, 'read as text');
  if (hasMark(schema, 'name')) return createScalarReader(schema, nameOf, 'read as text');
  if (hasMark(schema, 'prose')) return createScalarReader(schema, proseOf, 'read as text');
  const isData = values === undefined && contentMediaType === undefined;
  const reader = createScalarReader(schema, isData ? dataOf : textOf, 'read as text');
  if (values === undefined) return reader;
  const isReported = hasMark(schema, 'needed');
  return (value, context) => {
    const text = reader(value, context);
    if (typeof text !== 'string') return text;
    const result = matchKnownValue(text, values);
    if (isReported && !values.includes(result))
      context.recordAnomaly(`"${result}" is not a known value`);
    return result;
  };
}

function proseOf(value: unknown): string | UnreadableValue {
  const text = textOf(value);
  return text instanceof UnreadableValue ? text : toSafeMessage(text, [], maxPlainTextLength);
}

function createScalarReader(
  schema: z.ZodType,
  convert: (value: unknown) => unknown,
  anomaly: string,
): Reader {
  return (value, context) => {
    const part = convert(value);
    if (part instanceof UnreadableValue) return part;
    const result = schema.safeParse(part);
    if (!result.success) return new UnreadableValue(formatIssues(result.error.issues, 'the value'));
    if (typeof part !== typeof value) context.recordAnomaly(`a ${typeof value} ${anomaly}`);
    return result.data;
  };
}

function prependStep(part: UnreadableValue, step: string | number): UnreadableValue {
  part.path.unshift(step);
  return part;
}

function isNullable(schema: z.ZodType): boolean {
  if (schema instanceof z.ZodOptional) return isNullable(asSchema(schema.unwrap()));
  return schema instanceof z.ZodNullable || schema instanceof z.ZodUnknown;
}
