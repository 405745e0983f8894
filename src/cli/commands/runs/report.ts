// `renderline report`: reports one run, or all runs of a period, as a web page, CSV or JSON.
import { type Command, Option } from '@commander-js/extra-typings';
import {
  reportFormats,
  writeDailyReport,
  writeRunReport,
} from '../../../app/report/write-report.ts';
import { formatCount } from '../../../plan/helpers/format-count.ts';
import { limitLines } from '../../../plan/helpers/limit-lines.ts';
import { withoutFalse } from '../../../plan/helpers/without-false.ts';
import { formatPaid } from '../../../plan/run/paid-work.ts';
import { failureNounOf } from '../../../plan/run/workflow-failure-codes.ts';
import {
  type DailyReport,
  formatRepaired,
  formatUnknown,
} from '../../../report/daily/daily-report.ts';
import type { Paint } from '../../color.ts';
import { sharedArguments, sharedOptions } from '../../options.ts';
import { readRunOrSince } from '../../runs/since-options.ts';
import type { Session } from '../../session.ts';
import { escapeForTerminal } from '../../terminal-text.ts';

export function declareReport(command: Command, session: Session): void {
  command
    .argument(...sharedArguments.optionalRun)
    .option(...sharedOptions.since)
    .option(...sharedOptions.sincePipeline)
    .addOption(
      new Option('--format <name>', 'output format').choices(reportFormats).default('html'),
    )
    .option(
      '--output <file>',
      'file to write, - for stdout (default: RUN.FORMAT, or runs-since-WHEN.FORMAT)',
    )
    .action(
      session.action(async (runId, { since: start, pipeline, format, output }) => {
        const { run, since } = readRunOrSince('report', runId, start, { '--pipeline': pipeline });
        if (output === '-' && format !== 'json')
          session.output.assertNoJson(`--format ${format} --output -`);
        if (run !== null) {
          const target = { format, output: output ?? `${run}.${format}` };
          const interrupt = () => session.io.interrupts.handleFirst();
          const written = await writeRunReport(session, run, target, interrupt);
          const { report, files } = written;
          const summary = `${report.outcome.replaceAll('_', ' ')}, ${formatCount(files, 'file')}`;
          await printReport(session, written, summary);
          if (report.remark !== null) session.output.note(escapeForTerminal(report.remark));
          return;
        }
        const file = output ?? `runs-since-${since.replaceAll(/[^\w.-]/g, '-')}.${format}`;
        const target = { format, output: file };
        const written = await writeDailyReport(session, { since, pipeline }, target);
        await printReport(
          session,
          written,
          formatDailyReport(written.report, session.output.paint),
        );
      }),
    );
}

type Written = Awaited<ReturnType<typeof writeDailyReport>>['written'];

/** Prints the report itself if it was not written to a file. @param summary text printed below the path */
async function printReport(
  { output }: Session,
  { written }: { written: Written },
  summary: string,
): Promise<void> {
  if (written.pieces) await output.pieces(written.pieces);
  else output.result(written.shape, () => `${written.shape.file}\n${summary}`);
}

const maxCausesShown = 5;

/** Formats the daily report for the terminal. */
export function formatDailyReport(report: DailyReport, paint: Paint): string {
  const { runs, notRead, outcomes, totals, causes, paid } = escapeForTerminal(report);
  const outcomeCounts = Object.entries(outcomes).map(
    ([name, number]) => `${number} ${name.replaceAll('_', ' ')}`,
  );
  const failures =
    totals.failed === 0
      ? ''
      : `, ${totals.failed} failed${formatRepaired({ count: totals.failed, repaired: totals.repaired })}`;
  const causeLines = causes.map(
    (cause) =>
      `  ${paint(cause.repaired === cause.count ? 'green' : 'red', cause.code)}${cause.node === '' ? '' : ` at ${cause.node}`}, ${cause.pipeline}: ${formatCount(cause.count, failureNounOf(cause.code))}${formatRepaired(cause)}`,
  );
  return withoutFalse([
    `${formatCount(runs.length + notRead, 'run')}${outcomeCounts.length === 0 ? '' : `: ${outcomeCounts.join(', ')}`}`,
    `${formatCount(totals.complete, 'asset')} complete${failures}${totals.cancelled === 0 ? '' : `, ${totals.cancelled} cancelled`}, ${formatCount(totals.files, 'file')}`,
    `paid: ${formatPaid(paid)}${formatUnknown(runs.filter((run) => run.paid === null).length)}`,
    notRead > 0 &&
      `${formatCount(notRead, 'older run')} not read: use a later --since, or --pipeline`,
    ...limitLines(
      causeLines,
      maxCausesShown,
      (count) => `  and ${formatCount(count, 'more cause')}`,
    ),
  ]).join('\n');
}
