// Serves the tools over stdio, or over HTTP on this machine, until stopped.
import type { Readable, Writable } from 'node:stream';
import { waitForAbort } from '../api/abort.ts';
import type { Client } from '../api/client.ts';
import { isLoopback } from '../api/network/private-addresses.ts';
import type { App } from '../app/app.ts';
import { withPlatform } from '../app/platform-client.ts';
import { readPackageVersion } from '../app/read-package-version.ts';
import { explainUnlessUnauthorized, RenderlineError } from '../app/renderline-error.ts';
import { commandFailures } from '../failures/commands.ts';
import { createToken } from '../settings/secrets/bearer-token.ts';
import { serveOverHttp } from './http.ts';
import { createServerFactory, type McpOptions } from './server.ts';
import { serveOverStdio } from './stdio.ts';
import { createToolContext, type ToolContextOptions } from './tool-context.ts';

export interface ServeMcpOptions extends ToolContextOptions {
  /** Serve over HTTP instead of stdio. */
  http?: boolean | undefined;
  host: string;
  port: number;
}

export interface McpShape {
  schema: 'renderline/mcp/v1';
  url: string;
  allowWrites: boolean;
  allowRuns: boolean;
  /** Absent if the token comes from the settings, because it is a secret. */
  token?: string;
}

interface ServeMcpCalls {
  stdin: Readable;
  stdout: Writable;
  stop: AbortSignal;
  /** @param shape null over stdio, where only the protocol may be written to stdout */
  onStarted: (shape: McpShape | null) => void;
}

/** @throws RenderlineError NOT_LOOPBACK; errors of the platform for a wrong key */
export async function serveMcp(
  app: App,
  { http, host, port, ...contextOptions }: ServeMcpOptions,
  { stop, onStarted, ...streams }: ServeMcpCalls,
): Promise<void> {
  assertLoopback(host);
  await withPlatform(app, async (client) => {
    const options = await createServerOptions(app, client, contextOptions);
    const factory = createServerFactory(options);
    const onError = (error: Error) => app.note(`MCP: ${error.message}`);
    if (!http) {
      onStarted(null);
      return serveOverStdio(factory, { ...streams, stop, onError });
    }
    const configuredToken = app.env['RENDERLINE_MCP_TOKEN'] || null;
    const token = configuredToken ?? createToken();
    const { url, stop: close } = await serveOverHttp(factory, { host, port, token, onError });
    const { writes: allowWrites, runs: allowRuns } = options.allows;
    const shownToken = configuredToken === null ? { token } : {};
    onStarted({ schema: 'renderline/mcp/v1', url, allowWrites, allowRuns, ...shownToken });
    await waitForAbort(stop);
    return close();
  });
}

function assertLoopback(host: string): void {
  if (isLoopback(host)) return;
  throw new RenderlineError(
    commandFailures.NOT_LOOPBACK,
    `--host ${host} is reachable from other machines, and every client of the server acts with your API key.`,
  );
}

/** @throws if the key is wrong. If the platform is unreachable, only emits a note, because it may become reachable. */
async function createServerOptions(
  app: App,
  client: Client,
  contextOptions: ToolContextOptions,
): Promise<McpOptions> {
  const context = await createToolContext(app, client, contextOptions);
  try {
    await context.workspace();
  } catch (error) {
    const { message, fix } = explainUnlessUnauthorized(error);
    app.note(
      `${message}\n${fix}\nThe server starts anyway; tools work once the platform responds.`,
    );
  }
  return { ...context, version: readPackageVersion() };
}
