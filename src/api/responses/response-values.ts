// Reads single values of responses. A value of an unexpected type is converted if its meaning is certain. Pure.
import { toPlainText, truncate } from './plain-text.ts';
import { redactSignedQueries } from './scrub.ts';

/** A value of an unexpected type that cannot be converted. */
export class UnreadableValue {
  /** Path from the part that was read to the value. */
  readonly path: (string | number)[] = [];
  readonly problem: string;

  constructor(problem: string) {
    this.problem = problem;
  }
}

type Value<T> = T | UnreadableValue;

/** Returns text. Whole numbers become text. Fractions and numbers beyond 2^53 are refused: their spelling is lost. */
export function textOf(value: unknown): Value<string> {
  if (typeof value === 'string') return value;
  return Number.isSafeInteger(value) ? String(value) : wrongTypeValue('text', value);
}

/** Maximum length of a link or other data, in characters. Servers do not accept longer ones. */
export const maxDataLength = 8_192;

/** Returns text that is neither prose nor a name, such as a link, a type or a time. */
export function dataOf(value: unknown): Value<string> {
  const text = textOf(value);
  if (text instanceof UnreadableValue || text.length <= maxDataLength) return text;
  return new UnreadableValue(`expected text of at most ${maxDataLength} characters`);
}

export const maxObjectNameLength = 2_000;

/** Returns a name. Callers match by it, so only signatures are removed, and only absurdly long names are cut. */
export function nameOf(value: unknown): Value<string> {
  const name = textOf(value);
  if (name instanceof UnreadableValue) return name;
  return redactSignedQueries(truncate(name, maxObjectNameLength));
}

export const maxIdLength = 256;

/** Returns an id. It must be printable and short, because ids are stored with every asset and are part of URLs. */
export function idOf(value: unknown): Value<string> {
  const id = textOf(value);
  if (id instanceof UnreadableValue) return id;
  if (id !== '' && id.length <= maxIdLength && id === toPlainText(id)) return id;
  return new UnreadableValue(`expected an id of at most ${maxIdLength} printable characters`);
}

/** Returns a number. Also accepts a decimal number as text. */
export function numberOf(value: unknown): Value<number> {
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  const isDecimal = typeof value === 'string' && /^-?\d{1,15}(?:\.\d{1,15})?$/.test(value.trim());
  return isDecimal ? Number(value) : wrongTypeValue('a number', value);
}

/** Returns a boolean. Also accepts text in any case, or 1 or 0. */
export function booleanOf(value: unknown): Value<boolean> {
  if (typeof value === 'boolean') return value;
  const text = typeof value === 'string' ? value.trim().toLowerCase() : value;
  if (text === 'true' || text === 1) return true;
  return text === 'false' || text === 0 ? false : wrongTypeValue('true or false', value);
}

const maxUnknownValueLength = 80;

/** Returns the known value that matches regardless of case. Other values are kept but shortened. */
export function matchKnownValue(text: string, knownValues: readonly string[]): string {
  if (knownValues.includes(text)) return text;
  const plain = toPlainText(text, maxUnknownValueLength);
  return knownValues.find((candidate) => candidate.toLowerCase() === plain.toLowerCase()) ?? plain;
}

export function wrongTypeValue(expectedType: string, value: unknown): UnreadableValue {
  return new UnreadableValue(`expected ${expectedType}, received ${kindOf(value)}`);
}

/** Returns the name of a value's type for messages. Messages never show the value, which may be long or secret. */
function kindOf(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`.replace('string', 'text');
}
