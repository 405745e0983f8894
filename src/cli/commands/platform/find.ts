// `renderline find`: finds the runs and assets that a platform id belongs to.
import type { Command } from '@commander-js/extra-typings';
import { findRuns } from '../../../app/find/find-runs.ts';
import { formatMatches } from '../../find/format.ts';
import { sharedOptions } from '../../options.ts';
import { parsePairs } from '../../params.ts';
import type { Session } from '../../session.ts';
import { escapeForTerminal } from '../../terminal-text.ts';

export function declareFind(command: Command, session: Session): void {
  command
    .argument('<id>', 'id of a model, project, render, job, batch, variant, production file, …')
    .argument('[file]', 'pipeline file whose records are searched (default: all known records)')
    .option(...sharedOptions.pipeline)
    .option(...sharedOptions.param)
    .action(
      session.action(async (id, file, { pipeline, param }) => {
        const { output } = session;
        const parameters = param && parsePairs('--param', param);
        const { shape, errors } = await findRuns(session, id, { file, parameters, pipeline });
        output.result(shape, () => formatMatches(shape, output.paint));
        for (const { message } of errors)
          output.note(`Not searched: ${escapeForTerminal(message)}`);
      }),
    );
}
