// A real MCP client, connected over either transport to a server with a real sandbox.
import { PassThrough } from 'node:stream';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { onTestFinished } from 'vitest';
import { startSandbox } from '../../packages/sandbox/src/server/server.ts';
import { createClient, type Client as PlatformClient } from '../../src/api/client.ts';
import { App } from '../../src/app/app.ts';
import { serveOverHttp } from '../../src/mcp/http.ts';
import { operationTools } from '../../src/mcp/operation-tools.ts';
import { createServerFactory } from '../../src/mcp/server.ts';
import { serveOverStdio } from '../../src/mcp/stdio.ts';
import type { ToolContext } from '../../src/mcp/tool.ts';
import type { RunningSandbox } from '../../src/sandbox/interface.ts';

export type Over = 'stdio' | 'http';

export interface Connected {
  readonly agent: Client;
  readonly sandbox: RunningSandbox;
  /** Errors of the server. */
  readonly errors: Error[];
}

export interface ConnectOptions {
  allowWrites?: boolean;
  apiKey?: string;
}

/** Stops when the test ends. */
export async function connect(over: Over, options: ConnectOptions = {}): Promise<Connected> {
  const sandbox = await startSandbox({ seed: 1, pictureScale: 0, rateLimit: 0, speed: 1000 });
  const client = createClient({
    baseUrl: sandbox.url,
    apiKey: options.apiKey ?? sandbox.apiKey,
  });
  const errors: Error[] = [];
  const factory = createServerFactory({
    ...contextOf(client),
    allows: { writes: options.allowWrites === true, runs: false },
    workspace: async () => (await client.getMe()).workspace.id,
    version: '0.0.0',
    tools: operationTools,
  });
  const agent = new Client({ name: 'test', version: '1' });
  const end = await (over === 'stdio' ? stdio : http)(agent, factory, errors);
  onTestFinished(async () => {
    await agent.close();
    await end();
    await client.close();
    await sandbox.stop();
  });
  return { agent, sandbox, errors };
}

/** Context of calls on a server that only reads. */
export function contextOf(client: PlatformClient): ToolContext {
  return {
    client,
    workspace: async () => 'w1',
    app: new App({ env: {}, cwd: '.' }),
    allows: { writes: false, runs: false },
    secrets: [],
    signal: new AbortController().signal,
  };
}

type Factory = ReturnType<typeof createServerFactory>;

/** Both ends exchange lines of JSON, so the server's transport also works for the client. */
async function stdio(agent: Client, factory: Factory, errors: Error[]) {
  const toServer = new PassThrough();
  const toClient = new PassThrough();
  const stop = new AbortController();
  const served = serveOverStdio(factory, {
    stdin: toServer,
    stdout: toClient,
    stop: stop.signal,
    onError: (error) => errors.push(error),
  });
  await agent.connect(new StdioServerTransport(toClient, toServer));
  return async () => {
    stop.abort();
    await served;
  };
}

async function http(agent: Client, factory: Factory, errors: Error[]) {
  const server = await serveOverHttp(factory, {
    host: '127.0.0.1',
    port: 0,
    token: 't',
    onError: (error) => errors.push(error),
  });
  await agent.connect(
    new StreamableHTTPClientTransport(new URL(server.url), {
      requestInit: { headers: { authorization: 'Bearer t' } },
    }),
  );
  return () => server.stop();
}

/** Text of the only text block of a result. */
export function textOf(result: { content?: unknown }): string {
  const [first] = result.content as { type: string; text: string }[];
  return first?.type === 'text' ? first.text : '';
}
