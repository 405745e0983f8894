// `renderline report`: reports one run, or all runs of a period, as a web page, CSV or JSON.
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { type Command, Option } from '@commander-js/extra-typings';
import { createProgressNote } from '../../../app/progress-note.ts';
import { readDailyReport } from '../../../app/report/read-daily-report.ts';
import { readRunReport } from '../../../app/report/read-run-report.ts';
import { formatCount } from '../../../plan/helpers/format-count.ts';
import { limitLines } from '../../../plan/helpers/limit-lines.ts';
import { withoutFalse } from '../../../plan/helpers/without-false.ts';
import { formatPaid } from '../../../plan/run/paid-work.ts';
import type { ConnectorSpec } from '../../../plan/types.ts';
import { relativeLinkTo } from '../../../report/contact-sheet.ts';
import { type DailyReport, formatRepaired, formatUnknown } from '../../../report/daily-report.ts';
import { dailyReportHtml } from '../../../report/daily-report-html.ts';
import { formatDailyReportCsv, formatReportCsv } from '../../../report/report-csv.ts';
import type { Paint } from '../../color.ts';
import { ensureFolder } from '../../ensure-folder.ts';
import { sharedArguments, sharedOptions } from '../../options.ts';
import { readRunOrSince } from '../../runs/since-options.ts';
import type { Session } from '../../session.ts';
import { escapeForTerminal, toTerminalSafeJson } from '../../terminal-text.ts';

const formats = ['html', 'csv', 'json'] as const;

interface ReportTarget {
  format: (typeof formats)[number];
  /** Path of the file, or `-` for stdout. */
  output: string;
}

export function declareReport(command: Command, session: Session): void {
  command
    .argument(...sharedArguments.optionalRun)
    .option(...sharedOptions.since)
    .option(...sharedOptions.sincePipeline)
    .addOption(new Option('--format <name>', 'output format').choices(formats).default('html'))
    .option(
      '--output <file>',
      'file to write, - for stdout (default: RUN.FORMAT, or runs-since-WHEN.FORMAT)',
    )
    .action(
      session.action(async (runId, { since: start, pipeline, format, output }) => {
        const { run, since } = readRunOrSince('report', runId, start, { '--pipeline': pipeline });
        if (output === '-' && format !== 'json')
          session.output.assertNoJson(`--format ${format} --output -`);
        if (run !== null)
          return writeRunReport(session, run, { format, output: output ?? `${run}.${format}` });
        return reportSince(
          session,
          { since, pipeline },
          { format, output: output ?? `runs-since-${since.replaceAll(/[^\w.-]/g, '-')}.${format}` },
        );
      }),
    );
}

async function writeRunReport(session: Session, run: string, target: ReportTarget): Promise<void> {
  const { report, destinationsOf, page } = await readRunReport(session, run);
  const makeHtml = (file: string) => {
    let total = 0;
    const noteProgress = createProgressNote(session, (done) => `Thumbnails: ${done} of ${total}`);
    return page({
      link: (path, delivery) => findLink(file, destinationsOf(delivery), path),
      signal: session.io.interrupts.handleFirst(),
      onProgress(done, count) {
        total = count;
        noteProgress(done);
      },
    });
  };
  const forms = { html: makeHtml, csv: () => formatReportCsv(report), json: () => toJson(report) };
  const { outcome, outputs, remark } = report;
  const files = outputs.filter(({ path }) => path !== null).length;
  const summary = `${outcome.replaceAll('_', ' ')}, ${formatCount(files, 'file')}`;
  await writeReport(session, target, forms[target.format], { run, outcome }, summary);
  if (remark !== null) session.output.note(escapeForTerminal(remark));
}

async function reportSince(
  session: Session,
  range: { since: string; pipeline: string | undefined },
  target: ReportTarget,
): Promise<void> {
  const page = resolve(session.io.cwd, target.output);
  const report = await readDailyReport(session, { ...range, page });
  const forms = {
    html: () => dailyReportHtml(report),
    csv: () => formatDailyReportCsv(report),
    json: () => toJson(report),
  };
  const { since, outcomes } = report;
  const summary = formatDailyReport(report, session.output.paint);
  await writeReport(session, target, forms[target.format], { since, outcomes }, summary);
}

/** Returns a relative link to a delivered file. Null if no local folder contains it, because signed links expire. */
function findLink(
  page: string,
  destinations: readonly ConnectorSpec[],
  path: string,
): string | null {
  const files = destinations.flatMap(({ type, path: root }) =>
    type === 'local' && typeof root === 'string' ? [join(root, path)] : [],
  );
  const file = files.find(existsSync);
  return file === undefined ? null : relativeLinkTo(dirname(page), file);
}

function toJson(value: object): string {
  return `${toTerminalSafeJson(value)}\n`;
}

/** Writes the report to a file or to stdout. @param summary text printed below the path */
async function writeReport(
  session: Session,
  { format, output }: ReportTarget,
  render: (page: string) => string | Promise<string>,
  details: object,
  summary: string,
): Promise<void> {
  const file = resolve(session.io.cwd, output);
  if (output !== '-') await ensureFolder(file);
  const text = await render(file);
  if (output === '-') {
    session.output.raw(text);
    return;
  }
  await writeFile(file, text);
  const bytes = Buffer.byteLength(text);
  const shape = { schema: 'renderline/report-file/v1', ...details, format, file, bytes };
  session.output.result(shape, () => `${file}\n${summary}`);
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
      `  ${paint(cause.repaired === cause.count ? 'green' : 'red', cause.code)}${cause.node === '' ? '' : ` at ${cause.node}`}, ${cause.pipeline}: ${formatCount(cause.count, 'asset')}${formatRepaired(cause)}`,
  );
  return withoutFalse([
    `${formatCount(runs.length + notRead, 'run')}${outcomeCounts.length === 0 ? '' : `: ${outcomeCounts.join(', ')}`}`,
    `${formatCount(totals.complete, 'asset')} complete${failures}${totals.cancelled === 0 ? '' : `, ${totals.cancelled} cancelled`}, ${formatCount(totals.files, 'file')}`,
    `paid: ${formatPaid(paid)}${formatUnknown(runs.filter((run) => run.paid === null).length)}`,
    notRead > 0 &&
      `${formatCount(notRead, 'older run')} not read: give a later --since, or --pipeline`,
    ...limitLines(causeLines, maxCausesShown, (count) => `  and ${count} more causes`),
  ]).join('\n');
}
