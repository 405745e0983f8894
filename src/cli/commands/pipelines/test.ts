// `renderline test`: runs the tests of pipelines.
import { writeFile } from 'node:fs/promises';
import { type Command, Option } from '@commander-js/extra-typings';
import { prepareOutputFile } from '../../../app/file-paths.ts';
import type { TestFlags } from '../../../app/testing/check-and-run-tests.ts';
import { exitCode } from '../../../failures/exit-code.ts';
import { createDurationParser, createIntegerParser } from '../../params.ts';
import type { Session } from '../../session.ts';
import { formatJunitXml } from '../../testing/junit.ts';
import { reportTests } from '../../testing/report-tests.ts';
import { watchTests } from '../../testing/watch-tests.ts';

export function declareTest(command: Command, session: Session): void {
  command
    .argument('[paths...]', 'test files, or folders that are searched for NAME.test.yaml', ['.'])
    .option('--only <text>', 'only tests with this text in their name')
    .option('--update', 'update the snapshots')
    .addOption(
      new Option('--watch', 'run the tests again whenever a file changes').conflicts('junit'),
    )
    .option('--junit <file>', 'also write the results as JUnit XML')
    .option('--at-once <n>', 'number of tests to run in parallel', createIntegerParser('--at-once'))
    .option(
      '--timeout <duration>',
      'time limit of a test that sets none itself (default: 60s)',
      createDurationParser('--timeout', '2m'),
    )
    .action(
      session.action(async (paths, flags) => {
        if (flags.watch) return watchTests(session, paths, flags);
        return report(session, paths, flags);
      }),
    );
}

async function report(
  session: Session,
  paths: readonly string[],
  flags: TestFlags & { junit?: string | undefined },
): Promise<number> {
  const junit =
    flags.junit === undefined ? null : await prepareOutputFile(session.io.cwd, flags.junit);
  const stop = session.io.interrupts.handleFirst();
  const results = await reportTests(session, paths, flags, stop);
  if (junit !== null) await writeFile(junit, formatJunitXml(results));
  return results.some(({ outcome }) => outcome === 'failed') ? exitCode.runFailed : exitCode.done;
}
