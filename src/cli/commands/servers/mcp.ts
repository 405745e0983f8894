// `renderline mcp`: serves the platform's operations and pipelines as MCP tools.
import type { Command } from '@commander-js/extra-typings';
import { waitForAbort } from '../../../api/abort.ts';
import type { Client } from '../../../api/client.ts';
import { isLoopback } from '../../../api/network/private-addresses.ts';
import { withPlatform } from '../../../app/platform-client.ts';
import { readPackageVersion } from '../../../app/read-package-version.ts';
import { explainUnlessUnauthorized, RenderlineError } from '../../../app/renderline-error.ts';
import { commandFailures } from '../../../failures/commands.ts';
import { serveOverHttp } from '../../../mcp/http.ts';
import { createServerFactory, type McpOptions } from '../../../mcp/server.ts';
import { serveOverStdio } from '../../../mcp/stdio.ts';
import { createToolContext } from '../../../mcp/tool-context.ts';
import { createToken } from '../../../settings/secrets/bearer-token.ts';
import { listenOption, sharedOptions } from '../../options.ts';
import { collectOption } from '../../params.ts';
import type { Session } from '../../session.ts';

const defaultPort = 4020;

export function declareMcp(command: Command, session: Session): void {
  command
    .option('--http', 'serve over HTTP instead of stdio')
    .option(
      sharedOptions.port[0],
      `with --http: ${sharedOptions.port[1]}`,
      sharedOptions.port[2],
      defaultPort,
    )
    .option(...listenOption(' with --http, of this machine only'), '127.0.0.1')
    .option('--allow-writes', 'allow tools that change the workspace')
    .option('--allow-runs', 'allow tools to start runs of pipelines')
    .option(
      '--folder <dir>',
      'folder of pipelines and their files (repeatable; default: the current folder)',
      collectOption,
    )
    .action(
      session.action(async ({ http, host, port, folder: folders = ['.'], ...flags }) => {
        const { allowWrites: writes = false, allowRuns: runs = false } = flags;
        const stop = session.io.interrupts.handleFirst();
        checkHost(host);
        await withPlatform(session, async (client) => {
          const contextOptions = { allows: { writes, runs }, folders };
          const options = await createServerOptions(client, contextOptions, session);
          if (http) await serveMcpOverHttp(options, { host, port }, session, stop);
          else await serveMcpOverStdio(options, session, stop);
        });
      }),
    );
}

function checkHost(host: string): void {
  if (isLoopback(host)) return;
  throw new RenderlineError(
    commandFailures.NOT_LOOPBACK,
    `--host ${host} is reachable from other machines, and every client of the server acts with your API key.`,
  );
}

/** @throws if the key is wrong. If the platform is unreachable, only emits a note, because it may become reachable. */
async function createServerOptions(
  client: Client,
  contextOptions: Parameters<typeof createToolContext>[2],
  session: Session,
): Promise<McpOptions> {
  const context = await createToolContext(session, client, contextOptions);
  try {
    await context.workspace();
  } catch (error) {
    const { message, fix } = explainUnlessUnauthorized(error);
    session.output.note(
      `${message}\n${fix}\nThe server starts anyway; tools work once the platform responds.`,
    );
  }
  return { ...context, version: readPackageVersion() };
}

async function serveMcpOverStdio(
  options: McpOptions,
  session: Session,
  stop: AbortSignal,
): Promise<void> {
  const { stdin, stdout } = session.io;
  session.output.note(`MCP over stdio, ${formatRights(options)}. Ctrl-C stops it.`);
  const onError = noteError(session);
  await serveOverStdio(createServerFactory(options), { stdin, stdout, stop, onError });
}

async function serveMcpOverHttp(
  options: McpOptions,
  address: { host: string; port: number },
  session: Session,
  stop: AbortSignal,
): Promise<void> {
  const configuredToken = session.io.env['RENDERLINE_MCP_TOKEN'] || null;
  const token = configuredToken ?? createToken();
  const httpOptions = { ...address, token, onError: noteError(session) };
  const server = await serveOverHttp(createServerFactory(options), httpOptions);
  const { url } = server;
  const { writes: allowWrites, runs: allowRuns } = options.allows;
  // A token from the settings is a secret, so it is not printed.
  const shownToken = configuredToken === null ? { token } : {};
  session.output.result(
    { schema: 'renderline/mcp/v1', url, allowWrites, allowRuns, ...shownToken },
    () =>
      [
        `MCP at ${url}, ${formatRights(options)}. Ctrl-C stops it.`,
        `Clients send: Authorization: Bearer ${configuredToken === null ? token : '$RENDERLINE_MCP_TOKEN'}`,
      ].join('\n'),
  );
  await waitForAbort(stop);
  await server.stop();
}

const noteError =
  ({ output }: Session) =>
  (error: Error) =>
    output.note(`MCP: ${error.message}`);

function formatRights({ allows }: McpOptions): string {
  const writes = allows.writes ? 'reads and writes' : 'read-only (--allow-writes allows writes)';
  const runs = allows.runs ? 'starts runs' : 'previews runs (--allow-runs starts them)';
  return `${writes}, ${runs}`;
}
