// `renderline mcp`: serves the platform's operations and pipelines as MCP tools.
import type { Command } from '@commander-js/extra-typings';
import { type McpShape, serveMcp } from '../../../mcp/serve.ts';
import type { ToolContext } from '../../../mcp/tool.ts';
import { reword, sharedOptions } from '../../options.ts';
import { collectOption } from '../../params.ts';
import type { Session } from '../../session.ts';

const defaultPort = 4020;

export function declareMcp(command: Command, session: Session): void {
  command
    .option('--http', 'serve over HTTP instead of stdio')
    .option(...reword(sharedOptions.port, (text) => `with --http: ${text}`), defaultPort)
    .option(
      ...reword(sharedOptions.listen, (text) => `with --http: ${text} (loopback only)`),
      '127.0.0.1',
    )
    .option('--allow-writes', 'allow tools that change the workspace')
    .option('--allow-runs', 'allow tools to start runs of pipelines')
    .option(
      '--folder <dir>',
      'folder of pipelines and their files (repeatable; default: the current folder)',
      collectOption,
    )
    .action(
      session.action(async ({ folder: folders = ['.'], ...flags }) => {
        const { allowWrites: writes = false, allowRuns: runs = false, ...address } = flags;
        const { io, output } = session;
        const allows = { writes, runs };
        const rights = formatRights(allows);
        const options = { ...address, allows, folders };
        await serveMcp(session, options, {
          stdin: io.stdin,
          stdout: io.stdout,
          stop: io.interrupts.handleFirst(),
          onStarted(shape) {
            if (shape === null) output.note(`MCP over stdio, ${rights}. Ctrl-C stops it.`);
            else output.result(shape, () => formatStarted(shape, rights));
          },
        });
      }),
    );
}

function formatStarted({ url, token = '$RENDERLINE_MCP_TOKEN' }: McpShape, rights: string): string {
  return [
    `MCP at ${url}, ${rights}. Ctrl-C stops it.`,
    `Clients send: Authorization: Bearer ${token}`,
  ].join('\n');
}

function formatRights(allows: ToolContext['allows']): string {
  const writes = allows.writes
    ? 'reads and writes'
    : 'read-only tools (--allow-writes allows writes)';
  const runs = allows.runs ? 'starts runs' : 'only previews runs (--allow-runs allows starts)';
  return `${writes}, ${runs}`;
}
