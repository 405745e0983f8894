// `renderline failures`: groups the failures of a run (the latest by default), or of all runs since a time, by cause.
import type { Command } from '@commander-js/extra-typings';
import { listFailures } from '../../../app/failures/list-failures.ts';
import { listRecentFailures } from '../../../app/failures/list-recent-failures.ts';
import { listRuns } from '../../../app/runs/list-runs.ts';
import { formatFailures } from '../../failures/format.ts';
import { formatRecentFailures } from '../../failures/format-recent.ts';
import { reword, sharedArguments, sharedOptions } from '../../options.ts';
import { readRunOrSince } from '../../runs/since-options.ts';
import type { Session } from '../../session.ts';

export function declareFailures(command: Command, session: Session): void {
  command
    .argument(...sharedArguments.optionalRun)
    .option(...sharedOptions.since)
    .option(...sharedOptions.sincePipeline)
    .option(
      ...reword(
        sharedOptions.where,
        'with --since: only matching failures, such as \'code == "RENDER_FAILED"\'',
      ),
    )
    .action(
      session.action(async (runId, options) => {
        const { output } = session;
        const { pipeline, where } = options;
        const isLatest = (runId ?? options.since ?? where) === undefined;
        const { runs } = isLatest ? await listRuns(session, { limit: 1, pipeline }) : { runs: [] };
        const id = runId ?? runs[0]?.run;
        const otherFlags = { '--pipeline': isLatest ? undefined : pipeline, '--where': where };
        const { run, since } = readRunOrSince('failures', id, options.since, otherFlags);
        if (run !== null) {
          const shape = await listFailures(session, run);
          return output.result(shape, () => formatFailures(shape, output.paint));
        }
        const recent = await listRecentFailures(session, { ...options, since });
        return output.result(recent, () => formatRecentFailures(recent, output.paint));
      }),
    );
}
