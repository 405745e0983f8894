// Serves the tools over stdio, or over HTTP on this machine, until stopped.
import type { Readable, Writable } from 'node:stream';
import { waitForAbort } from '../api/abort.ts';
import { isLoopback } from '../api/network/private-addresses.ts';
import type { App } from '../app/app.ts';
import { withPlatform } from '../app/platform-client.ts';
import { readPackageVersion } from '../app/read-package-version.ts';
import { explainUnlessUnauthorized, RenderlineError } from '../app/renderline-error.ts';
import { commandFailures } from '../failures/commands.ts';
import { createToken } from '../settings/secrets/bearer-token.ts';
import { serveOverHttp } from './http.ts';
import { createServerFactory } from './server.ts';
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

/** @throws RenderlineError NOT_LOOPBACK; the error of the platform if the key is wrong */
export async function serveMcp(
  app: App,
  { http, host, port, ...contextOptions }: ServeMcpOptions,
  { stop, onStarted, ...streams }: ServeMcpCalls,
): Promise<void> {
  if (!isLoopback(host)) {
    const message = `--host ${host} is reachable from other machines, and every client of the server acts with your API key.`;
    throw new RenderlineError(commandFailures.NOT_LOOPBACK, message);
  }
  await withPlatform(app, async (client) => {
    const context = await createToolContext(app, client, contextOptions);
    await context.workspace().catch((error: unknown) => {
      // An unreachable platform may become reachable, but a wrong key stays wrong.
      const { message, fix } = explainUnlessUnauthorized(error);
      const remark = 'The server starts anyway; tools work once the platform responds.';
      app.note(`${message}\n${fix}\n${remark}`);
    });
    const factory = createServerFactory({ ...context, version: readPackageVersion() });
    const onError = (error: Error) => app.note(`MCP: ${error.message}`);
    if (!http) {
      onStarted(null);
      return serveOverStdio(factory, { ...streams, stop, onError });
    }
    const configuredToken = app.env['RENDERLINE_MCP_TOKEN'] || null;
    const token = configuredToken ?? createToken();
    const { url, stop: close } = await serveOverHttp(factory, { host, port, token, onError });
    const { writes: allowWrites, runs: allowRuns } = context.allows;
    const shownToken = configuredToken === null ? { token } : {};
    onStarted({ schema: 'renderline/mcp/v1', url, allowWrites, allowRuns, ...shownToken });
    await waitForAbort(stop);
    return close();
  });
}
