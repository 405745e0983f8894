// `renderline ui`: serves web pages for starting, following and approving runs, on this machine or for a team.
import type { Command } from '@commander-js/extra-typings';
import { waitForAbort } from '../../../api/abort.ts';
import { serveUi } from '../../../ui/server.ts';
import { reword, sharedOptions } from '../../options.ts';
import type { Session } from '../../session.ts';
import { escapeForTerminal } from '../../terminal-text.ts';

const defaultPort = 4030;

export function declareUi(command: Command, session: Session): void {
  command
    .argument('[paths...]', 'pipeline files, or folders of them (default: . and ./pipelines)')
    .option(...sharedOptions.port, defaultPort)
    .option(
      ...reword(
        sharedOptions.listen,
        (text) => `${text}; set it to share the pages with a team (default: this machine)`,
      ),
    )
    .action(
      session.action(async (paths, { port, host }) => {
        const stop = session.io.interrupts.handleFirst();
        const server = await serveUi(session, { paths, port, host, signal: stop });
        const { shape } = server;
        session.output.result(shape, () =>
          [
            shape.token === null
              ? `Listening at ${shape.url} for proxy requests (ui.user) and decision links`
              : `Open ${shape.url}?token=${shape.token}`,
            `Pipelines on the pages: ${escapeForTerminal(shape.paths).join(', ')}`,
            'Ctrl-C stops the server; runs continue.',
          ].join('\n'),
        );
        await waitForAbort(stop);
        await server.stop();
      }),
    );
}
