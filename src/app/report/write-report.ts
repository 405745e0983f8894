// Writes the report on a run, or on all runs of a period, to a file.
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { ConnectorSpec } from '../../plan/types.ts';
import { relativeLinkTo } from '../../report/contact-sheet.ts';
import { dailyReportHtml } from '../../report/daily/daily-report-html.ts';
import { joinPieces, toJsonPieces } from '../../report/json-pieces.ts';
import { formatDailyReportCsv, toReportCsvPieces } from '../../report/report-csv.ts';
import type { App } from '../app.ts';
import { prepareOutputFile, writeOutputFile } from '../file-paths.ts';
import { createProgressNote } from '../progress-note.ts';
import { type DailyReportOptions, readDailyReport } from './read-daily-report.ts';
import { readRunReport } from './read-run-report.ts';

export const reportFormats = ['html', 'csv', 'json'] as const;

export interface ReportTarget {
  format: (typeof reportFormats)[number];
  /** Path of the file, or `-` to return the text without writing it. */
  output: string;
}

/** @param onRendering called before the thumbnails of the page are created, which its signal aborts */
export async function writeRunReport(
  app: App,
  run: string,
  target: ReportTarget,
  onRendering: () => AbortSignal,
) {
  const { report, files, destinationsOf, page } = await readRunReport(app, run);
  const renderPage = (file: string) => {
    let total = 0;
    const noteProgress = createProgressNote(app, (done) => `Thumbnails: ${done} of ${total}`);
    return page({
      link: (path, delivery) => findLink(file, destinationsOf(delivery), path),
      signal: onRendering(),
      onProgress(done, count) {
        total = count;
        noteProgress(done);
      },
    });
  };
  const forms = { html: renderPage, csv: () => toReportCsvPieces(report) };
  const written = await write(app, target, report, forms, { run, outcome: report.outcome });
  return { ...written, files };
}

/** Writes the report on the runs since a point in time. @throws RenderlineError BAD_TIME */
export async function writeDailyReport(
  app: App,
  range: Omit<DailyReportOptions, 'page'>,
  target: ReportTarget,
) {
  const page = resolve(app.cwd, target.output);
  const report = await readDailyReport(app, { ...range, page });
  const forms = { html: () => dailyReportHtml(report), csv: () => formatDailyReportCsv(report) };
  const { since, outcomes } = report;
  return write(app, target, report, forms, { since, outcomes });
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

type Text = string | AsyncIterable<string>;

/** @returns the report, and its text or what was written */
async function write<Data extends object>(
  app: App,
  { format, output }: ReportTarget,
  report: Data,
  forms: Record<'html' | 'csv', (page: string) => Text | Promise<Text>>,
  details: object,
) {
  const isPrinted = output === '-';
  const file = isPrinted ? resolve(app.cwd, output) : await prepareOutputFile(app.cwd, output);
  const text = format === 'json' ? toJsonPieces(report) : await forms[format](file);
  const pieces = joinPieces(typeof text === 'string' ? toPieces(text) : text);
  if (isPrinted) return { report, written: { pieces } };
  let bytes = 0;
  const count = async function* () {
    for await (const piece of pieces) {
      bytes += Buffer.byteLength(piece);
      yield piece;
    }
  };
  await writeOutputFile(file, count());
  const schema = 'renderline/report-file/v1' as const;
  return { report, written: { shape: { schema, ...details, format, file, bytes } } };
}

async function* toPieces(text: string): AsyncGenerator<string> {
  yield text;
}
