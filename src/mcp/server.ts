// The MCP server: registers the platform's operations and commands on pipelines as tools of the SDK.
import { McpServer, type StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import type { JsonObject } from '../api/contract/json-schema.ts';
import { asRecord } from '../api/unknown-values.ts';
import { type CommandContext, callCommand } from './call-command.ts';
import { callTool, type ToolContext } from './call-tool.ts';
import { type CommandTool, commandTools } from './command-tools.ts';
import { allTools, type Tool, titleOf } from './tools.ts';

export interface McpOptions extends ToolContext {
  readonly version: string;
  /** Context for commands on pipelines; without it only the platform's operations are offered. */
  readonly commands?: CommandContext | null;
}

/** Returns a factory, because the SDK needs a server per connection, and over HTTP a server per request. */
export function mcpServerFactory(options: McpOptions): () => McpServer {
  const tools = allTools();
  return () => {
    const server = new McpServer(
      { name: 'renderline', title: 'Renderline', version: options.version },
      { capabilities: { tools: {} }, instructions: instructions(options) },
    );
    for (const tool of tools) registerOperation(server, tool, options);
    const { commands } = options;
    if (commands) {
      for (const tool of commandTools) registerCommand(server, tool, commands);
    }
    return server;
  };
}

function instructions({ allowWrites, commands }: McpOptions): string {
  return [
    'Tools of a 3D-rendering platform: models, properties, asset search and production files of one workspace.',
    'A failed call is a tool error "CODE: explanation".',
    allowWrites
      ? 'Tools that change the workspace are allowed.'
      : 'This server only reads: tools that change the workspace fail with WRITES_NOT_ALLOWED.',
    ...(commands ? [describeRuns(commands)] : []),
  ].join(' ');
}

function describeRuns({ allowRuns }: CommandContext): string {
  const allowed = allowRuns
    ? 'Show a person the preview before you confirm a run.'
    : 'Runs can only be previewed: a confirmed call fails with RUNS_NOT_ALLOWED.';
  return `Pipelines in YAML make many assets at once: validate_pipeline, plan_pipeline, run_pipeline, then show_run until it has ended, list_failures, rerun. ${allowed}`;
}

function registerOperation(server: McpServer, tool: Tool, options: McpOptions): void {
  const isClosed = tool.writes && !options.allowWrites;
  server.registerTool(
    tool.name,
    {
      title: tool.annotations.title,
      description: isClosed
        ? `${tool.description} Not allowed now: the server was started without --allow-writes.`
        : tool.description,
      inputSchema: withoutValidation(tool.input),
      outputSchema: withoutValidation(tool.output),
      annotations: tool.annotations,
    },
    async (given, context) => callTool(tool, given, options, context.mcpReq.signal),
  );
}

function registerCommand(server: McpServer, tool: CommandTool, context: CommandContext): void {
  const { name, description, input, starts } = tool;
  const isClosed = starts && !context.allowRuns;
  server.registerTool(
    name,
    {
      title: titleOf(name),
      description: isClosed
        ? `${description} Only previews now: the server was started without --allow-runs.`
        : description,
      inputSchema: withoutValidation(input),
      annotations: {
        title: titleOf(name),
        readOnlyHint: !starts,
        // A run replaces delivered files of a source that has changed.
        destructiveHint: starts,
        idempotentHint: !starts,
        openWorldHint: false,
      },
    },
    async (given, { mcpReq }) => callCommand(tool, given, context, mcpReq.signal),
  );
}

/**
 * A schema that the SDK publishes but does not enforce. The API client validates arguments, so that a wrong argument
 * gets the same error as over REST.
 */
function withoutValidation(schema: JsonObject): StandardSchemaWithJSON<JsonObject> {
  return {
    '~standard': {
      version: 1,
      vendor: 'renderline',
      validate: (value) => ({ value: asRecord(value) }),
      jsonSchema: { input: () => schema, output: () => schema },
    },
  };
}
