// The tools for the platform's operations, derived from the operations that declare a tool. A call is one request.

import { type JsonObject, toJsonSchema } from '../api/contract/json-schema.ts';
import type { OperationRow } from '../api/contract/operation.ts';
import { readOutput } from '../api/decode.ts';
import { ResponseShapeError } from '../api/errors/errors.ts';
import { formatIssue } from '../api/format-issue.ts';
import { operations } from '../api/operations/index.ts';
import { asRecord, isObject } from '../api/unknown-values.ts';
import { checkFirstFix, mayHaveCreated } from '../app/platform/call-operation.ts';
import { type Argument, argumentsOf, splitArguments, workspaceArgument } from './arguments.ts';
import {
  assertAllowed,
  type Tool,
  type ToolArguments,
  type ToolContext,
  ToolError,
  titleOf,
  toToolError,
} from './tool.ts';

/** Additional argument of `archive_property`: false restores the property with another operation. */
const archivedArgument: Argument = {
  name: 'archived',
  part: 'body',
  field: 'archived',
  schema: {
    type: 'boolean',
    default: true,
    description: 'false restores the property instead of archiving it; default true',
  },
  required: false,
};

const rows: readonly OperationRow[] = Object.values(operations);

export const operationTools: readonly Tool[] = rows.flatMap((row) =>
  row.tool === undefined ? [] : [createOperationTool(row.tool, row)],
);

function createOperationTool(name: string, row: OperationRow): Tool {
  const operationArguments = argumentsOf(row);
  const canRestore = name === 'archive_property';
  const writes = row.retrySafety !== 'read';
  const permission = writes ? 'writes' : null;
  return {
    name,
    title: titleOf(name),
    description: `${row.summary} (same as ${row.route})`,
    input: createInputSchema([...operationArguments, ...(canRestore ? [archivedArgument] : [])]),
    output: openClosedObjects(
      row.response === 'redirect' ? {} : toJsonSchema(row.response, 'output'),
    ),
    annotations: {
      readOnlyHint: !writes,
      destructiveHint: writes && isDestructiveCall(row),
      idempotentHint: row.retrySafety === 'read' || row.retrySafety === 'repeat',
    },
    permission,
    async call(values, context) {
      assertAllowed({ name, permission }, context);
      await checkWorkspace(values[workspaceArgument], context);
      const input = splitArguments(operationArguments, values);
      const isRestore = canRestore && !isArchived(values);
      const { client, signal } = context;
      const options = { priority: 'interactive', maxWaitMs: 60_000, signal } as const;
      try {
        const output = isRestore
          ? await client.call('updateProperty', { ...input, body: { archived: false } }, options)
          : await client.call(row.id, input, options);
        return parseToolOutput(row, output);
      } catch (error) {
        if (!mayHaveCreated(row, error)) throw error;
        const { code, message } = toToolError(error);
        // The fix comes first, because the end of a long error is cut off.
        throw new ToolError(code, `${checkFirstFix} ${message}`);
      }
    },
  };
}

/** A POST only adds. Other methods overwrite or remove. An operation may declare otherwise. */
function isDestructiveCall(row: OperationRow): boolean {
  return row.destructive ?? row.route?.startsWith('POST ') !== true;
}

function createInputSchema(declaredArguments: readonly Argument[]): Tool['input'] {
  const properties = Object.fromEntries(
    declaredArguments.map(({ name, schema }) => [name, schema]),
  );
  const required = declaredArguments
    .filter((argument) => argument.required)
    .map(({ name }) => name);
  return {
    type: 'object',
    properties: {
      ...properties,
      [workspaceArgument]: {
        type: 'string',
        description:
          "Id of the workspace of the server's API key. Any other id is rejected. May be omitted.",
      },
    },
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  };
}

/** Allows additional properties in the output schema, because responses may gain fields at any time. */
function openClosedObjects(schema: JsonObject): JsonObject {
  const entries = Object.entries(schema).filter(
    ([name, value]) => !(name === 'additionalProperties' && value === false),
  );
  return Object.fromEntries(entries.map(([name, value]) => [name, openSchemaPart(value)]));
}

function openSchemaPart(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(openSchemaPart);
  return isObject(part) ? openClosedObjects(part) : part;
}

/** @throws ToolError for a workspace that is not the workspace of the API key */
async function checkWorkspace(
  requestedWorkspace: unknown,
  { workspace }: ToolContext,
): Promise<void> {
  if (requestedWorkspace === undefined || requestedWorkspace === null) return;
  const workspaceId = await workspace();
  if (requestedWorkspace === workspaceId) return;
  throw new ToolError(
    'WORKSPACE_NOT_FOUND',
    `workspaceId ${JSON.stringify(requestedWorkspace)} is not the workspace of this server's API key, which is "${workspaceId}". ` +
      'Leave workspaceId out, or use a server with a key of that workspace.',
  );
}

/** @throws ToolError for a value that is not a boolean */
function isArchived({ archived }: ToolArguments): boolean {
  const value = archived ?? true;
  if (typeof value === 'boolean') return value;
  throw new ToolError('VALIDATION_ERROR', 'archived: must be true or false');
}

/**
 * Validates a response, because clients rely on the output schema that the tool publishes.
 * @throws ResponseShapeError for a response that does not match the schema
 */
function parseToolOutput(row: OperationRow, output: unknown): Record<string, unknown> {
  const { id, response } = row;
  const issue = response === 'redirect' ? undefined : response.safeParse(output).error?.issues[0];
  // The result is always an object, because every operation with a tool responds with one. It is decoded as in runs.
  if (issue === undefined) return asRecord(readOutput(row, 200, output).output);
  throw new ResponseShapeError(id, 200, issue.path.map(String).join('.'), formatIssue(issue));
}
