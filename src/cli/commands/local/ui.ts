// `renderline ui`: serves a web page on this machine to start, follow and approve runs.
import type { Command } from '@commander-js/extra-typings';
import { untilAborted } from '../../../api/abort.ts';
import { exitCode } from '../../../failures/exit-code.ts';
import { serveUi } from '../../../ui/server.ts';
import { portParser } from '../../params.ts';
import type { Session } from '../../session.ts';

const defaultPort = 4030;

export function declareUi(command: Command, session: Session): void {
  command
    .argument('[paths...]', 'pipeline files, or folders of them (default: . and ./pipelines)')
    .option('--port <n>', 'port; 0 takes a free port', portParser('--port'), defaultPort)
    .action(
      session.action(async (paths, { port }) => {
        const stop = session.io.interrupts.handleFirst();
        const server = await serveUi(session, { paths, port, signal: stop });
        const { url, token } = server;
        const offered = paths.length > 0 ? paths.join(', ') : session.cwd;
        session.output.result({ schema: 'renderline/ui/v1', url, token }, () =>
          [
            `Open ${url}?token=${token}`,
            `It offers the pipelines in ${offered}. Ctrl-C stops it; runs continue.`,
          ].join('\n'),
        );
        await untilAborted(stop);
        await server.stop();
        return exitCode.done;
      }),
    );
}
