// `renderline report`: what a run made, as a page, CSV or JSON.
import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type Command, Option } from '@commander-js/extra-typings';
import { exitCode } from '../../failures/exit-code.ts';
import type { Report } from '../../report/report.ts';
import { reportCsv } from '../../report/report-csv.ts';
import { nowAndThen } from '../now-and-then.ts';
import { collectReport } from '../report/collect.ts';
import { makePage } from '../report/write-page.ts';
import { readSnapshot } from '../runs/run-snapshot.ts';
import { count } from '../runs/run-summary.ts';
import { jsonText } from '../screen-text.ts';
import type { Session } from '../session.ts';
import { runPage, withTemporal } from '../temporal-session.ts';

const formats = ['html', 'csv', 'json'] as const;
type Format = (typeof formats)[number];

export function declareReport(command: Command, session: Session): void {
  command
    .argument('<run>', 'run id, as `renderline runs` lists it')
    .addOption(new Option('--format <name>', 'form of the report').choices(formats).default('html'))
    .option('--output <file>', 'file to write; RUN.html unless told otherwise, - for the screen')
    .action(
      session.action(async (run, { format, output = `${run}.${format}` }) => {
        return withTemporal(session, async ({ client, namespace }) => {
          const snapshot = await readSnapshot(client, run);
          const temporalUi = await runPage(session, namespace, run);
          const report = await collectReport({ client, namespace, snapshot, temporalUi });
          const file = resolve(session.io.cwd, output);
          const destination = snapshot.memo?.destination ?? null;
          const text = await textOf(session, report, { format, destination, page: file });
          if (output === '-') {
            session.output.raw(text);
            return exitCode.done;
          }
          await writeFile(file, text);
          const { outcome, outputs } = report;
          const files = outputs.filter(({ path }) => path !== null).length;
          const bytes = Buffer.byteLength(text);
          const shape = { schema: 'renderline/report-file/v1', run, outcome, format, file, bytes };
          session.output.answer(shape, () => `${file}\n  ${outcome}, ${count(files, 'file')}`);
          if (report.remark !== null) session.output.note(report.remark);
          return exitCode.done;
        });
      }),
    );
}

type PageOptions = Pick<Parameters<typeof makePage>[0], 'destination' | 'page'>;

async function textOf(
  session: Session,
  report: Report,
  { format, ...page }: PageOptions & { format: Format },
): Promise<string> {
  if (format === 'csv') return reportCsv(report);
  if (format === 'json') return `${jsonText(report)}\n`;
  const { io } = session;
  let of = 0;
  const tell = nowAndThen(session, (done) => `Small copies of pictures: ${done} of ${of}`);
  return makePage({
    ...page,
    report,
    signal: io.interrupts.take(),
    onProgress(done, all) {
      of = all;
      tell(done);
    },
  });
}
