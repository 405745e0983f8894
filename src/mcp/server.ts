// The MCP server: registers the platform's operations and the use cases of pipelines as tools of the SDK.
import { McpServer, type StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import type { JsonObject } from '../api/contract/json-schema.ts';
import { asRecord } from '../api/unknown-values.ts';
import { callTool } from './call-tool.ts';
import { operationTools } from './operation-tools.ts';
import { pipelineTools } from './pipeline-tools.ts';
import { describeTool, type Tool, type ToolContext } from './tool.ts';

export interface McpOptions extends Omit<ToolContext, 'signal'> {
  readonly version: string;
  /** @default all tools */
  readonly tools?: readonly Tool[];
}

/** Returns a factory, because the SDK needs a server per connection, and over HTTP a server per request. */
export function createServerFactory(options: McpOptions): () => McpServer {
  const { tools = [...operationTools, ...pipelineTools], version } = options;
  return () => {
    const server = new McpServer(
      { name: 'renderline', title: 'Renderline', version },
      { capabilities: { tools: {} }, instructions: formatInstructions(options) },
    );
    for (const tool of tools) register(server, tool, options);
    return server;
  };
}

function formatInstructions({ allows }: McpOptions): string {
  return [
    'Tools for a 3D-rendering platform: models, properties, asset search and production files of one workspace.',
    'A failed call is a tool error "CODE: explanation".',
    allows.writes
      ? 'Tools may change the workspace.'
      : 'This server does not allow changes: tools that change the workspace fail with WRITES_NOT_ALLOWED.',
    'To process many assets, use YAML pipelines: validate_pipeline, plan_pipeline, run_pipeline, then show_run until the run has ended, list_failures, rerun.',
    allows.runs
      ? 'Show a person the preview before you confirm a run.'
      : 'Runs can only be previewed: a confirmed call fails with RUNS_NOT_ALLOWED.',
  ].join(' ');
}

function register(server: McpServer, tool: Tool, options: McpOptions): void {
  const { name, title, input, output, annotations } = tool;
  server.registerTool(
    name,
    {
      title,
      description: describeTool(tool, options),
      inputSchema: skipValidation(input),
      ...(output && { outputSchema: skipValidation(output) }),
      // No tool reaches anything except the workspace of the API key and the folders of the server.
      annotations: { title, ...annotations, openWorldHint: false },
    },
    async (values, { mcpReq }) => callTool(tool, values, { ...options, signal: mcpReq.signal }),
  );
}

/**
 * Returns a schema that the SDK publishes but does not enforce. The tools check their arguments themselves, so that a
 * wrong argument of an operation results in the same error as over REST.
 */
function skipValidation(schema: JsonObject): StandardSchemaWithJSON<JsonObject> {
  return {
    '~standard': {
      version: 1,
      vendor: 'renderline',
      validate: (value) => ({ value: asRecord(value) }),
      jsonSchema: { input: () => schema, output: () => schema },
    },
  };
}
