// The arguments of a tool: the path parameters, query fields and body fields of an operation, in one flat list.
import {
  type JsonObject,
  type JsonSchema,
  toJsonSchema,
  toParamSchema,
} from '../api/contract/json-schema.ts';
import { type OperationRow, splitRoute } from '../api/contract/operation.ts';
import { findNearestName } from '../api/requests/nearest-name.ts';
import { pathParamNames } from '../api/requests/request-url.ts';
import { ToolError } from './tool.ts';

type InputPart = 'params' | 'query' | 'body';

export interface Argument {
  readonly name: string;
  readonly part: InputPart;
  /** Name in the path, query or body. Null if the argument is the whole body. */
  readonly field: string | null;
  readonly schema: JsonObject;
  readonly required: boolean;
}

export interface SplitArguments {
  params: Record<string, string>;
  query: Record<string, unknown>;
  body?: unknown;
}

interface Fields {
  properties: Record<string, JsonObject>;
  required: readonly string[];
}

/**
 * Returns the fields of an object schema, or null for other schemas. A choice between objects has the fields of all of
 * them, and a field is required only if every one of the objects requires it.
 */
function fieldsOf(schema: JsonSchema): Fields | null {
  const choices = schema['anyOf'] ?? schema['oneOf'];
  if (Array.isArray(choices)) {
    const choiceFields = choices.map((choice: JsonSchema) => fieldsOf(choice));
    const objectFields = choiceFields.filter((fields) => fields !== null);
    if (objectFields.length < choiceFields.length) return null;
    const [first, ...others] = objectFields;
    return {
      properties: Object.assign({}, ...objectFields.map(({ properties }) => properties)),
      required: (first?.required ?? []).filter((name) =>
        others.every(({ required }) => required.includes(name)),
      ),
    };
  }
  if (schema['type'] !== 'object') return null;
  const { properties = {}, required = [] } = schema;
  return { properties, required };
}

/**
 * Returns the arguments of an operation. If a name occurs twice, the path parameter keeps the name, or else the query
 * field. The other one is called `query_NAME` or `body_NAME`. No current operation needs this.
 * @throws RangeError for an operation without a route, whose path parameters are not known
 */
export function argumentsOf(row: OperationRow): Argument[] {
  if (row.route === null) throw new RangeError(`${row.id} has no route, so it cannot be a tool`);
  const argumentsByName = new Map<string, Argument>();
  const add = (part: InputPart, field: string, schema: JsonObject, required: boolean) => {
    const isTaken = argumentsByName.has(field) || field === workspaceArgument;
    const name = isTaken ? `${part}_${field}` : field;
    argumentsByName.set(name, { name, part, field, schema, required });
  };
  for (const name of pathParamNames(splitRoute(row.route).path)) {
    add('params', name, toParamSchema(row, name), true);
  }
  for (const part of ['query', 'body'] as const) {
    const schema = row[part] && toJsonSchema(row[part], 'input');
    if (schema === undefined) continue;
    const fields = fieldsOf(schema);
    if (fields === null) {
      argumentsByName.set(part, { name: part, part, field: null, schema, required: true });
      continue;
    }
    for (const [field, property] of Object.entries(fields.properties)) {
      add(part, field, property, fields.required.includes(field));
    }
  }
  return [...argumentsByName.values()];
}

/** Every tool takes this argument in addition to its own. */
export const workspaceArgument = 'workspaceId';

/** Sorts given values into path, query and body. Ignores unknown names, which `assertKnownArguments` rejects. */
export function splitArguments(
  declaredArguments: readonly Argument[],
  values: Readonly<Record<string, unknown>>,
): SplitArguments {
  const params: Record<string, string> = {};
  const query: Record<string, unknown> = {};
  const fields: Record<string, unknown> = {};
  let body: unknown = declaredArguments.some(({ part }) => part === 'body') ? fields : undefined;
  for (const { name, part, field } of declaredArguments) {
    const value = values[name];
    if (value === undefined) continue;
    if (part === 'body') {
      if (field === null) body = value;
      else fields[field] = value;
    }
    // AI models often send null for arguments that they omit. Null has a meaning only in a body.
    if (part === 'body' || value === null || field === null) continue;
    // A query field that contains JSON text, such as the filters of GET /models, may also be passed as a JSON value.
    if (part === 'query') query[field] = typeof value === 'object' ? JSON.stringify(value) : value;
    // Values that cannot be ids are ignored. The client then reports which id is missing.
    else if (typeof value === 'string' || typeof value === 'number') params[field] = String(value);
  }
  return { params, query, ...(body === undefined ? {} : { body }) };
}

/** @throws ToolError for an argument that the tool does not have */
export function assertKnownArguments(
  tool: string,
  values: Readonly<Record<string, unknown>>,
  names: readonly string[],
): void {
  const unknownName = Object.keys(values).find((name) => !names.includes(name));
  if (unknownName === undefined) return;
  const suggestion = findNearestName(unknownName, names);
  throw new ToolError(
    'VALIDATION_ERROR',
    `${tool} has no argument "${unknownName}".${suggestion === null ? '' : ` Did you mean "${suggestion}"?`} ` +
      `Its arguments are: ${names.join(', ')}.`,
  );
}
