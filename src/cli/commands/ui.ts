// `renderline ui`: serves a web page on this machine to start, follow and approve runs.
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Command } from '@commander-js/extra-typings';
import { untilAborted } from '../../app/interrupts.ts';
import { readRunReport } from '../../app/report/read-run-report.ts';
import { readSnapshot } from '../../app/runs/run-snapshot.ts';
import { withTemporal } from '../../app/temporal-client.ts';
import { exitCode } from '../../failures/exit-code.ts';
import { bodyBounds, startFetchServer } from '../../settings/fetch-server.ts';
import { createToken } from '../../settings/secrets/bearer-token.ts';
import { UiAccess } from '../../ui/access.ts';
import { DeliveredFiles } from '../../ui/delivered-files.ts';
import { commandExecutor } from '../../ui/execute-command.ts';
import { uiRoutes } from '../../ui/routes.ts';
import { portParser } from '../params.ts';
import type { Session } from '../session.ts';

const defaultPort = 4030;
/** Loopback only, because whoever reaches the page acts with this machine's API key. */
const host = '127.0.0.1';

export function declareUi(command: Command, session: Session): void {
  command
    .argument('[paths...]', 'pipeline files, or folders of them (default: . and ./pipelines)')
    .option('--port <n>', 'port; 0 takes a free port', portParser('--port'), defaultPort)
    .action(
      session.action(async (named, { port }) => {
        const stop = session.io.interrupts.handleFirst();
        const { io, output } = session;
        await session.usePlugins();
        const paths = named.length > 0 ? named : await defaultPaths(io.cwd);
        const { program } = session;
        if (program === null) throw new Error('the UI needs a session that can run commands');
        const token = createToken();
        const access = new UiAccess(token);
        const app = uiRoutes({
          execute: commandExecutor(session, program),
          files: new DeliveredFiles(io.env),
          destinationOf: (run) =>
            withTemporal(session, async ({ client }) => {
              const { memo } = await readSnapshot(client, run);
              return memo?.destination ?? null;
            }),
          reportOf: async (run, link) => {
            const { page } = await readRunReport(session, run);
            return page({ link, signal: stop });
          },
          paths,
          cwd: io.cwd,
          environment: io.env,
          base: access.base,
        });
        const server = await startFetchServer(
          {
            gate: (request) => access.gate(request),
            serve: (request) => app.fetch(request),
            maxBodyBytes: bodyBounds.form,
          },
          { host, port },
        );
        const url = `${server.origin}/`;
        const address = `${url}?token=${token}`;
        output.result({ schema: 'renderline/ui/v1', url, token }, () =>
          [
            `Open ${address}`,
            `It offers the pipelines in ${named.length > 0 ? paths.join(', ') : io.cwd}. Ctrl-C stops it; runs continue.`,
          ].join('\n'),
        );
        await untilAborted(stop);
        await server.stop();
        return exitCode.done;
      }),
    );
}

async function defaultPaths(cwd: string): Promise<string[]> {
  const isFolder = await stat(resolve(cwd, 'pipelines')).then(
    (there) => there.isDirectory(),
    () => false,
  );
  return isFolder ? ['.', 'pipelines'] : ['.'];
}
