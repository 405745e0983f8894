// Remarks on fields that the reference does not name. They are sent anyway, since a platform may know more.
import type { DynamicInput } from '../../api/client.ts';
import { type JsonObject, jsonSchema } from '../../api/json-schema.ts';
import { nearest } from '../../api/nearest-name.ts';
import type { OperationRow } from '../../api/operation.ts';

/** One remark for each unknown query field and each unknown field of the body itself. */
export function unknownFields(row: OperationRow, { query, body }: DynamicInput): string[] {
  const bodyNames = row.body && namesOf(jsonSchema(row.body, 'input'));
  return [
    ...remarks(row, 'query field', Object.keys(row.query?.shape ?? {}), query),
    ...(bodyNames ? remarks(row, 'body field', bodyNames, body) : []),
  ];
}

function remarks(
  row: OperationRow,
  kind: string,
  known: readonly string[],
  given: unknown,
): string[] {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return [];
  const unknown = Object.keys(given).filter((name) => !known.includes(name));
  return unknown.map((name) => {
    const near = nearest(name, known);
    const hint = near === null ? '' : ` Did you mean "${near}"?`;
    return `note: ${row.id} has no ${kind} "${name}" in the reference; it is sent as it is.${hint}`;
  });
}

/** Field names of an object, or of all objects that it may be; undefined where any name is allowed. */
function namesOf(schema: JsonObject): string[] | undefined {
  const choices = schema['anyOf'] ?? schema['oneOf'];
  if (Array.isArray(choices)) {
    const names = choices.map((choice: JsonObject) => namesOf(choice));
    return names.every((each) => each !== undefined) ? names.flat() : undefined;
  }
  const open = typeof schema['additionalProperties'] === 'object';
  const { properties } = schema;
  if (open || typeof properties !== 'object' || properties === null) return undefined;
  return Object.keys(properties);
}
