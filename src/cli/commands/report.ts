// `renderline report`: reports one run, or all runs of a period, as a web page, CSV or JSON.
import { writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { type Command, Option } from '@commander-js/extra-typings';
import { commandFailures } from '../../failures/commands.ts';
import { exitCode } from '../../failures/exit-code.ts';
import { count } from '../../plan/count.ts';
import type { ConnectorSpec } from '../../plan/types.ts';
import { relativeLink } from '../../report/contact-sheet.ts';
import { nightHtml } from '../../report/night-html.ts';
import { nightCsv, reportCsv } from '../../report/report-csv.ts';
import { CliError } from '../exit.ts';
import { makeRoom } from '../make-room.ts';
import { nowAndThen } from '../now-and-then.ts';
import { collectNight } from '../report/collect-night.ts';
import { readRunReport } from '../report/run-page.ts';
import { parseSince } from '../report/since.ts';
import { nightText } from '../report/words.ts';
import { jsonText, spelledOut } from '../screen-text.ts';
import type { Session } from '../session.ts';
import { withTemporal } from '../temporal-session.ts';

const formats = ['html', 'csv', 'json'] as const;

interface Target {
  format: (typeof formats)[number];
  /** Path of the file; `-` stands for stdout. */
  output: string;
}

export function declareReport(command: Command, session: Session): void {
  command
    .argument('[run]', 'run id, as `renderline runs` lists it')
    .option('--since <when>', 'all runs since this time: yesterday, 12h, 2026-11-01')
    .option('--pipeline <name>', 'with --since: only runs of this pipeline')
    .addOption(new Option('--format <name>', 'output format').choices(formats).default('html'))
    .option('--output <file>', 'file to write, - for stdout (default: RUN.html)')
    .action(
      session.action(async (run, { since, pipeline, format, output }) => {
        if (run !== undefined && since === undefined) {
          return reportRunTo(session, run, { format, output: output ?? `${run}.${format}` });
        }
        if (run !== undefined || since === undefined) {
          throw new CliError(commandFailures.USAGE, 'Give either a run or --since.', {
            fix: 'For example: renderline report --since yesterday',
          });
        }
        return reportSince(
          session,
          { sinceMs: parseSince(since, session.io.now()), pipeline },
          {
            format,
            output: output ?? `runs-since-${since.replaceAll(/[^\w.-]/g, '-')}.${format}`,
          },
        );
      }),
    );
}

async function reportRunTo(session: Session, run: string, target: Target): Promise<number> {
  await session.usePlugins();
  return withTemporal(session, async (temporal) => {
    const { report, destination, page } = await readRunReport(session, temporal, run);
    const makeHtml = (file: string) => {
      let of = 0;
      const tell = nowAndThen(session, (done) => `Thumbnails: ${done} of ${of}`);
      return page({
        link: (path) => linkFrom(file, destination, path),
        signal: session.io.interrupts.take(),
        onProgress(done, all) {
          of = all;
          tell(done);
        },
      });
    };
    const forms = { html: makeHtml, csv: () => reportCsv(report), json: () => jsonOf(report) };
    const { outcome, outputs, remark } = report;
    const files = outputs.filter(({ path }) => path !== null).length;
    const words = `${outcome.replaceAll('_', ' ')}, ${count(files, 'file')}`;
    await write(session, target, forms[target.format], { run, outcome }, words);
    if (remark !== null) session.output.note(spelledOut(remark));
    return exitCode.done;
  });
}

async function reportSince(
  session: Session,
  asked: { sinceMs: number; pipeline: string | undefined },
  target: Target,
): Promise<number> {
  await session.usePlugins();
  return withTemporal(session, async (temporal) => {
    const onProgress = nowAndThen(session, (done) => `Read ${count(done, 'run')}`);
    const page = resolve(session.io.cwd, target.output);
    const night = await collectNight(session, temporal, { ...asked, page, onProgress });
    const forms = {
      html: () => nightHtml(night),
      csv: () => nightCsv(night),
      json: () => jsonOf(night),
    };
    const { since, outcomes } = night;
    const words = nightText(night, session.output.paint);
    await write(session, target, forms[target.format], { since, outcomes }, words);
    return exitCode.done;
  });
}

/** Relative link to a delivered file; null outside local folders, because signed links expire. */
function linkFrom(page: string, destination: ConnectorSpec | null, path: string): string | null {
  const root = destination?.type === 'local' ? destination['path'] : null;
  return typeof root === 'string' ? relativeLink(dirname(page), join(root, path)) : null;
}

function jsonOf(value: object): string {
  return `${jsonText(value)}\n`;
}

/** Writes the report to a file or stdout. @param words summary that is printed below the path */
async function write(
  session: Session,
  { format, output }: Target,
  make: (page: string) => string | Promise<string>,
  about: object,
  words: string,
): Promise<void> {
  const file = resolve(session.io.cwd, output);
  if (output !== '-') await makeRoom(file);
  const text = await make(file);
  if (output === '-') {
    session.output.raw(text);
    return;
  }
  await writeFile(file, text);
  const bytes = Buffer.byteLength(text);
  const shape = { schema: 'renderline/report-file/v1', ...about, format, file, bytes };
  session.output.answer(shape, () => `${file}\n${words}`);
}
