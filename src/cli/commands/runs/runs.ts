// `renderline runs`: lists runs, newest first.
import type { Command } from '@commander-js/extra-typings';
import { listRuns, type RunRow } from '../../../app/runs/list-runs.ts';
import { formatUnreadable } from '../../../app/unreadable-payload.ts';
import { formatSeconds } from '../../../plan/helpers/format-seconds.ts';
import { formatTimestamp } from '../../../plan/helpers/format-timestamp.ts';
import { formatPaid } from '../../../plan/run/paid-work.ts';
import { colorOfState, type Paint } from '../../color.ts';
import { reword, sharedOptions } from '../../options.ts';
import type { Session } from '../../session.ts';
import { escapeForTerminal } from '../../terminal-text.ts';
import { maxLengthOf } from '../../text-width.ts';

export function declareRuns(command: Command, session: Session): void {
  command
    .option(...reword(sharedOptions.count, (text) => `${text} runs`), 20)
    .option(...sharedOptions.pipeline)
    .option('--paid', 'also show the renders, models and captures that each run has paid for')
    .action(
      session.action(async (options) => {
        const list = await listRuns(session, options);
        session.output.result(list, () =>
          formatRuns(list.runs, options.pipeline, session.output.paint),
        );
      }),
    );
}

export function formatRuns(
  runs: readonly RunRow[],
  pipeline: string | undefined,
  paint: Paint,
): string {
  if (runs.length === 0) {
    return pipeline === undefined
      ? 'No runs yet. Start one: renderline run FILE'
      : `No runs of pipeline "${escapeForTerminal(pipeline)}". List all runs: renderline runs`;
  }
  const rows = escapeForTerminal(runs);
  const width = maxLengthOf(rows.map(({ run }) => run));
  // The list has no header line, because scripts read the first word of each line.
  return rows
    .map(({ run, state, startedAt, seconds, paid, unreadable, stranded }) => {
      const took = (seconds === null ? '' : formatSeconds(seconds)).padEnd(12);
      const bill = paid === undefined ? [] : [formatPaid(paid)];
      const notes = unreadable === null ? bill : [formatUnreadable(unreadable)];
      const waits = stranded === null ? [] : [paint('red', `stranded: ${stranded.why}`)];
      const shownState = paint(colorOfState(state), state.padEnd(15));
      const cells = [run.padEnd(width), shownState, formatTimestamp(startedAt), took];
      return [...cells, ...notes, ...waits].join('  ').trimEnd();
    })
    .join('\n');
}
