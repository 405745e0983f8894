// Calls a tool: checks permissions, sends one request, and returns the platform's response or an error.
import type { Client } from '../api/client.ts';
import { outputOf } from '../api/decode.ts';
import { ResponseShapeError } from '../api/errors/errors.ts';
import { asRecord } from '../api/unknown-values.ts';
import { refuseUnknown, splitArguments, workspaceArgument } from './arguments.ts';
import { explainToolError, ToolError } from './tool-error.ts';
import type { ToolResult } from './tool-result.ts';
import type { Tool } from './tools.ts';

export interface ToolContext {
  readonly client: Client;
  readonly allowWrites: boolean;
  /** Reads the workspace id of the API key. */
  readonly workspace: () => Promise<string>;
}

/** Never throws: every failure becomes a tool error that the AI model can read. */
export async function callTool(
  tool: Tool,
  given: Readonly<Record<string, unknown>>,
  context: ToolContext,
  signal?: AbortSignal,
): Promise<ToolResult> {
  try {
    const answer = await sendRequest(tool, given, context, signal);
    return {
      content: [{ type: 'text', text: JSON.stringify(answer) }],
      structuredContent: answer,
    };
  } catch (error) {
    return { isError: true, content: [{ type: 'text', text: explainToolError(error) }] };
  }
}

async function sendRequest(
  tool: Tool,
  given: Readonly<Record<string, unknown>>,
  context: ToolContext,
  signal: AbortSignal | undefined,
): Promise<Record<string, unknown>> {
  guardWrites(tool, context);
  const known = tool.arguments.map(({ name }) => name);
  refuseUnknown(tool.name, given, [...known, workspaceArgument]);
  await checkWorkspace(given[workspaceArgument], context);
  const { id, input } = toRequest(tool, given);
  const options = { priority: 'interactive', maxWaitMs: 60_000, signal } as const;
  return parseToolOutput(tool.row, await context.client.call(id, input, options));
}

/**
 * Validates a response, because clients rely on the output schema that the tool publishes.
 * @throws ResponseShapeError for a response that does not match the schema
 */
function parseToolOutput(row: Tool['row'], output: unknown): Record<string, unknown> {
  const { id, response } = row;
  const issue = response === 'redirect' ? undefined : response.safeParse(output).error?.issues[0];
  // Every operation with a tool responds with an object, which is decoded as in runs.
  if (issue === undefined) return asRecord(outputOf(row, 200, output).output);
  throw new ResponseShapeError(id, 200, issue.path.map(String).join('.'), issue.message);
}

function guardWrites(tool: Tool, { allowWrites }: ToolContext): void {
  if (!tool.writes || allowWrites) return;
  throw new ToolError(
    'WRITES_NOT_ALLOWED',
    `${tool.name} changes the workspace, and this server only reads. Nothing was sent. ` +
      'The owner of the server can allow it: renderline mcp --allow-writes',
  );
}

async function checkWorkspace(requested: unknown, { workspace }: ToolContext): Promise<void> {
  if (requested === undefined || requested === null) return;
  const own = await workspace();
  if (requested === own) return;
  throw new ToolError(
    'WORKSPACE_NOT_FOUND',
    `workspaceId ${JSON.stringify(requested)} is not the workspace of this server's API key, which is "${own}". ` +
      'Leave workspaceId out, or use a server with a key of that workspace.',
  );
}

function toRequest(tool: Tool, given: Readonly<Record<string, unknown>>) {
  const { restore, row } = tool;
  if (restore === undefined) return { id: row.id, input: splitArguments(tool.arguments, given) };
  const own = tool.arguments.filter(({ name }) => name !== restore.argument);
  const input = splitArguments(own, given);
  const value = given[restore.argument] ?? true;
  if (value === true) return { id: row.id, input };
  if (value === false) {
    return { id: restore.operation, input: { ...input, body: restore.body } };
  }
  throw new ToolError('VALIDATION_ERROR', `${restore.argument}: must be true or false`);
}
