// Finds ${{ params.NAME }} in the text values of a file and replaces it with values.

import { findPlaceholders } from '../../language/naming/placeholders.ts';
import type { Json } from '../../plan/types.ts';
import type { Path } from './document.ts';

export interface Interpolation {
  /** Name of the parameter. Null if the text is not `params.NAME`. */
  parameter: string | null;
  /** Text between the braces. */
  source: string;
  start: number;
  end: number;
}

/** Finds every `${{ … }}` in a string. An interpolation that is never closed extends to the end of the string. */
export function findInterpolations(text: string): Interpolation[] {
  const { placeholders, unclosed } = findPlaceholders(text, '${{');
  const closed = placeholders.map(({ source, start, end }): Interpolation => {
    const [, parameter = null] = /^params\.([A-Za-z_]\w*)$/.exec(source) ?? [];
    return { parameter, source, start, end };
  });
  if (unclosed === -1) return closed;
  const source = text.slice(unclosed + '${{'.length).trim();
  return [...closed, { parameter: null, source, start: unclosed, end: text.length }];
}

/** Returns the parameter if the string is exactly one interpolation, whose value may have any type. Otherwise null. */
export function findOnlyParameter(text: string): string | null {
  const [only] = findInterpolations(text);
  return only !== undefined && only.start === 0 && only.end === text.length ? only.parameter : null;
}

/** Fills in values. Parameters without a value stay as they are written. */
export function substitute(text: string, values: ReadonlyMap<string, Json>): Json {
  const parameterName = findOnlyParameter(text);
  if (parameterName !== null) return values.get(parameterName) ?? text;
  let result = '';
  let from = 0;
  for (const { parameter, start, end } of findInterpolations(text)) {
    const value = parameter === null ? undefined : values.get(parameter);
    result += text.slice(from, start) + (textOf(value) ?? text.slice(start, end));
    from = end;
  }
  return result + text.slice(from);
}

function textOf(value: Json | undefined): string | null {
  if (value === undefined) return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Replaces every string inside a value with the result of `change`. */
export function mapTexts(
  value: Json,
  change: (text: string, path: Path) => Json,
  path: Path = [],
): Json {
  if (typeof value === 'string') return change(value, path);
  if (Array.isArray(value)) {
    return value.map((item, index) => mapTexts(item, change, [...path, index]));
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, mapTexts(item, change, [...path, key])]),
  );
}

/** A value of a file with its parameters filled in, and the strings that contained parameters. */
export interface FilledValue {
  value: Json;
  /** By path: the parameters of a string, its original, and whether one of them has no value yet or was refused. */
  texts: ReadonlyMap<string, { parameters: readonly string[]; pending: boolean; original: string }>;
}
