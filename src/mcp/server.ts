// The MCP server: the tools of section 4.12, registered with the SDK.
import { McpServer, type StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import type { JsonObject } from '../api/json-schema.ts';
import { looseFields } from '../api/loose-fields.ts';
import { callTool, type ToolContext } from './call-tool.ts';
import { allTools, type Tool } from './tools.ts';

export interface McpOptions extends ToolContext {
  readonly version: string;
}

/** Makes servers of one kind; the SDK asks for one a connection, over HTTP one a request. */
export function mcpServerFactory(options: McpOptions): () => McpServer {
  const tools = allTools();
  return () => {
    const server = new McpServer(
      { name: 'renderline', title: 'Renderline', version: options.version },
      { capabilities: { tools: {} }, instructions: instructions(options) },
    );
    for (const tool of tools) register(server, tool, options);
    return server;
  };
}

function instructions({ allowWrites }: McpOptions): string {
  return [
    'Tools of a 3D-rendering platform: models, properties, asset search and production files of one workspace.',
    'A failed call is a tool error "CODE: explanation".',
    allowWrites
      ? 'Tools that change the workspace are allowed.'
      : 'This server only reads: tools that change the workspace answer WRITES_NOT_ALLOWED.',
  ].join(' ');
}

function register(server: McpServer, tool: Tool, options: McpOptions): void {
  const closed = tool.writes && !options.allowWrites;
  server.registerTool(
    tool.name,
    {
      title: tool.annotations.title,
      description: closed
        ? `${tool.description} Not allowed now: the server was started without --allow-writes.`
        : tool.description,
      inputSchema: unchecked(tool.input),
      outputSchema: unchecked(tool.output),
      annotations: tool.annotations,
    },
    async (given, context) => callTool(tool, given, options, context.mcpReq.signal),
  );
}

/**
 * A schema that is published but not enforced by the SDK: the client checks what it sends against the row, so
 * that a wrong argument gets the same explanation as over REST.
 */
function unchecked(schema: JsonObject): StandardSchemaWithJSON<JsonObject> {
  return {
    '~standard': {
      version: 1,
      vendor: 'renderline',
      validate: (value) => ({ value: looseFields(value) }),
      jsonSchema: { input: () => schema, output: () => schema },
    },
  };
}
