// Notes fields that the API reference does not contain. They are sent anyway, because a platform may support more fields.
import type { DynamicInput } from '../../api/client.ts';
import { type JsonObject, jsonSchema } from '../../api/contract/json-schema.ts';
import type { OperationRow } from '../../api/contract/operation.ts';
import { nearest } from '../../api/requests/nearest-name.ts';

/** Returns one note for each unknown query field and each unknown top-level field of the body. */
export function unknownFields(row: OperationRow, { query, body }: DynamicInput): string[] {
  const bodyNames = row.body && propertyNamesOf(jsonSchema(row.body, 'input'));
  return [
    ...remarksOn(row, 'query field', Object.keys(row.query?.shape ?? {}), query),
    ...(bodyNames ? remarksOn(row, 'body field', bodyNames, body) : []),
  ];
}

function remarksOn(
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
    return `note: ${row.id} has no ${kind} "${name}" in the API reference; it is sent unchanged.${hint}`;
  });
}

/** Field names of an object schema, or of all its alternatives; undefined if any name is allowed. */
function propertyNamesOf(schema: JsonObject): string[] | undefined {
  const choices = schema['anyOf'] ?? schema['oneOf'];
  if (Array.isArray(choices)) {
    const names = choices.map((choice: JsonObject) => propertyNamesOf(choice));
    return names.every((each) => each !== undefined) ? names.flat() : undefined;
  }
  const open = typeof schema['additionalProperties'] === 'object';
  const { properties } = schema;
  if (open || typeof properties !== 'object' || properties === null) return undefined;
  return Object.keys(properties);
}
