// The tools for the platform's operations, derived from the operations that name a tool.
import { type JsonObject, jsonSchema } from '../api/contract/json-schema.ts';
import type { OperationRow } from '../api/contract/operation.ts';
import { operations } from '../api/operations/index.ts';
import { isObject } from '../api/unknown-values.ts';
import { type Argument, argumentsOf, workspaceArgument } from './arguments.ts';

export interface Tool {
  readonly name: string;
  readonly row: OperationRow;
  readonly description: string;
  readonly arguments: readonly Argument[];
  /** JSON Schema of the arguments. */
  readonly input: JsonObject;
  /** JSON Schema of the output. */
  readonly output: JsonObject;
  readonly writes: boolean;
  readonly annotations: Annotations;
  readonly restore?: Restore;
}

interface Annotations {
  readonly title: string;
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

/** Makes a tool call another operation if one argument is false: `archived: false` restores a property. */
interface Restore {
  readonly argument: string;
  readonly operation: string;
  readonly body: JsonObject;
  readonly description: string;
}

const restores: Readonly<Record<string, Restore>> = {
  archive_property: {
    argument: 'archived',
    operation: 'updateProperty',
    body: { archived: false },
    description: 'false restores the property instead; default true',
  },
};

/** All tools, in the order of the operations. */
export function allTools(): Tool[] {
  const rows: readonly OperationRow[] = Object.values(operations);
  return rows.flatMap((row) => (row.tool === undefined ? [] : [toTool(row.tool, row)]));
}

function toTool(name: string, row: OperationRow): Tool {
  const restore = restores[name];
  const own = argumentsOf(row);
  const known = restore === undefined ? own : [...own, restoringArgument(restore)];
  const writes = row.retrySafety !== 'read';
  return {
    name,
    row,
    description: `${row.summary} (same as ${row.route})`,
    arguments: known,
    input: inputSchema(known),
    output: withoutClosedObjects(
      row.response === 'redirect' ? {} : jsonSchema(row.response, 'output'),
    ),
    writes,
    annotations: {
      title: titleOf(name),
      readOnlyHint: !writes,
      destructiveHint: writes && isDestructive(row),
      idempotentHint: row.retrySafety === 'read' || row.retrySafety === 'repeat',
      // A tool accesses only this workspace.
      openWorldHint: false,
    },
    ...(restore && { restore }),
  };
}

/** A POST only adds; other methods overwrite or remove. An operation may declare otherwise. */
function isDestructive(row: OperationRow): boolean {
  return row.destructive ?? row.route?.startsWith('POST ') !== true;
}

function restoringArgument({ argument, description }: Restore): Argument {
  const schema = { type: 'boolean', default: true, description };
  return { name: argument, part: 'body', field: argument, schema, required: false };
}

/** Display name of a tool: `list_models` becomes `List models`. */
export function titleOf(name: string): string {
  const words = name.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function inputSchema(known: readonly Argument[]): JsonObject {
  const properties = Object.fromEntries(known.map(({ name, schema }) => [name, schema]));
  const required = known.filter((argument) => argument.required).map(({ name }) => name);
  return {
    type: 'object',
    properties: {
      ...properties,
      [workspaceArgument]: {
        type: 'string',
        description: "only the workspace of the server's API key; omitted = that one",
      },
    },
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  };
}

/** Responses may gain fields at any time, so the output schema must allow additional properties. */
function withoutClosedObjects(schema: JsonObject): JsonObject {
  const open = Object.entries(schema).filter(
    ([name, value]) => !(name === 'additionalProperties' && value === false),
  );
  return Object.fromEntries(open.map(([name, value]) => [name, openSchemaPart(value)]));
}

function openSchemaPart(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(openSchemaPart);
  return isObject(part) ? withoutClosedObjects(part) : part;
}
