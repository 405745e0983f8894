// Templates that a file defines for request bodies that are not published. Each `{{ field }}` in them is replaced.

import type { OperationRow } from '../contract/operation.ts';
import type { Json } from '../contract/schemas.ts';
import { findNearestName } from './nearest-name.ts';
import { pathParamNames } from './request-url.ts';

export interface BodyProblem {
  /** Path within the body. Empty if the file must not define the body, or if a field is missing. */
  readonly path: readonly (string | number)[];
  readonly message: string;
  readonly fix: string;
}

const placeholder = /^\{\{\s*([A-Za-z]\w*)\s*\}\}$/;

export function findBodyFields(body: unknown): string[] {
  return [...findTexts(body, [])].flatMap(({ text }) => placeholder.exec(text)?.[1] ?? []);
}

export function fillBody(body: Json, values: Readonly<Record<string, Json>>): Json {
  if (typeof body === 'string') {
    const name = placeholder.exec(body)?.[1];
    return name !== undefined && Object.hasOwn(values, name) ? (values[name] ?? null) : body;
  }
  if (Array.isArray(body)) return body.map((item) => fillBody(item, values));
  if (typeof body !== 'object' || body === null) return body;
  return Object.fromEntries(
    Object.entries(body).map(([name, item]) => [name, fillBody(item, values)]),
  );
}

/** Finds problems in a body that a file defines for an operation. Missing fields count only if all else is right. */
export function findBodyProblems(row: OperationRow, path: string, body: unknown): BodyProblem[] {
  const { id, bodyFields } = row;
  if (bodyFields === undefined) {
    const message = `the body of "${id}" is already in the platform's reference`;
    return [{ path: [], message, fix: 'Set only the route of the operation.' }];
  }
  const problems: BodyProblem[] = [];
  const fieldList = bodyFields.map((name) => `{{ ${name} }}`).join(', ');
  for (const { text, path: fieldPath } of findTexts(body, [])) {
    if (!text.includes('{{')) continue;
    const name = placeholder.exec(text)?.[1];
    if (name !== undefined && bodyFields.includes(name)) continue;
    const nearestField = name === undefined ? null : findNearestName(name, bodyFields);
    const message =
      name === undefined
        ? `"${text.slice(0, 80)}" contains more than a field: a field must be the whole text`
        : `"${id}" has no field "${name}" for its body`;
    const fix = nearestField ? `Did you mean "${nearestField}"?` : `Its fields are ${fieldList}.`;
    problems.push({ path: fieldPath, message, fix });
  }
  const inPath = pathParamNames(path).length > 0 ? Object.keys(row.params?.shape ?? {}) : [];
  const presentFields = [...findBodyFields(body), ...inPath];
  const missingField = bodyFields.find((name) => !presentFields.includes(name));
  if (problems.length === 0 && missingField !== undefined) {
    const message = `"${id}" has no value for its ${missingField}`;
    const fix = `Add '{{ ${missingField} }}' where the platform expects it.`;
    problems.push({ path: [], message, fix });
  }
  return problems;
}

function* findTexts(
  value: unknown,
  path: readonly (string | number)[],
): Generator<{ text: string; path: readonly (string | number)[] }> {
  if (typeof value === 'string') yield { text: value, path };
  else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* findTexts(item, [...path, index]);
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, item] of Object.entries(value)) yield* findTexts(item, [...path, name]);
  }
}
