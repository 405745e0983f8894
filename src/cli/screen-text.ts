// Makes output safe for terminals, whatever names of files and of the platform contain.
import { inOneLine, printable } from '../api/plain-text.ts';

/** Colours as `painter` writes them: one code each, none that hides text. */
const color = new RegExp(`(${'\u001b'}\\[(?:[0-79]|[2-9]\\d)m)`);
/** Characters that JSON does not escape but terminals interpret or readers misread. */
const unescaped = /[\u007f-\u009f\u2028\u2029\p{Bidi_Control}]/gu;

/** Text for people. Of colours only the codes of `painter` stay. */
export function screenText(text: string, hasColors: boolean): string {
  const plain = (part: string) => part.split('\n').map(printable).join('\n');
  if (!hasColors) return plain(text);
  // Every second part is a colour.
  const parts = text.split(color);
  return parts.map((part, index) => (index % 2 === 1 ? part : plain(part))).join('');
}

/**
 * Values as texts for people show them: every text in one line, with its hidden characters written out, so that no name of a
 * file, a run or the platform makes lines of its own. Fixes and remarks keep their lines, which are ours.
 */
export function spelledOut<Value>(value: Value): Value {
  return ofValue(value, '') as Value;
}

/** Fields of which each line is of ours. */
const ours: ReadonlySet<string> = new Set(['fix', 'remark']);

function ofValue(value: unknown, name: string): unknown {
  if (typeof value === 'string') return ours.has(name) ? lineByLine(value) : inOneLine(value);
  if (Array.isArray(value)) return value.map((item) => ofValue(item, name));
  if (value instanceof Map) return new Map([...value].map((entry) => spelledOut(entry)));
  if (typeof value !== 'object' || value === null) return value;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return value;
  const entries = Object.entries(value);
  return Object.fromEntries(entries.map(([key, item]) => [inOneLine(key), ofValue(item, key)]));
}

/** A text of several lines, each with its hidden characters written out. */
export function lineByLine(text: string): string {
  return text.split('\n').map(inOneLine).join('\n');
}

/** JSON of the same values, without characters that control a terminal. */
export function jsonText(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(
    unescaped,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
