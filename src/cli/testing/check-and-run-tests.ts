// Checks test files, runs their tests once, and prints the results.
import { setMaxListeners } from 'node:events';
import type { CheckedTests } from '../../compile/test-file/check-tests.ts';
import { checkTestFile } from '../../compile/test-file/check-tests.ts';
import { commandFailures } from '../../failures/commands.ts';
import { formatCount } from '../../plan/helpers/format-count.ts';
import { findTestServer } from '../../temporal/server/test-server.ts';
import { CliError } from '../cli-error.ts';
import { problemText } from '../compiled-file.ts';
import { loadSandbox } from '../local/load-sandbox.ts';
import type { Session } from '../session.ts';
import { findTestFiles } from './find-tests.ts';
import { formatResult, formatSummary } from './format.ts';
import { installQuietRuntime } from './quiet-runtime.ts';
import type { TestResult } from './run-test.ts';
import { matchesName, runTests, type ValidTests } from './run-tests.ts';

export interface TestFlags {
  only?: string | undefined;
  update?: true | undefined;
  atOnce?: number | undefined;
  timeout?: number | undefined;
}

/** Timeout, in real time, of tests that declare none. */
const usualTimeoutMs = 60_000;

/** Prints and returns the results. @throws CliError INVALID_TESTS, NO_TESTS */
export async function checkAndRunTests(
  session: Session,
  paths: readonly string[],
  { only = '', update, atOnce, timeout: timeoutMs = usualTimeoutMs }: TestFlags,
  stop: AbortSignal,
): Promise<TestResult[]> {
  const { io, output } = session;
  // Each test adds a listener to the signal.
  setMaxListeners(0, stop);
  const { cwd, env: environment } = io;
  const files = await Promise.all(
    (await findTestFiles(paths, cwd)).map((file) => checkTestFile(file, { cwd, environment })),
  );
  const valid = refuseInvalid(session, files);
  refuseNoMatch(valid, only);
  const maker = await loadSandbox();
  const startedMs = io.now();
  const note = (text: string) => output.note(text);
  installQuietRuntime((text) => environment['RENDERLINE_LOG'] === 'debug' && note(text));
  const cacheDir = (await session.config()).cacheDir.value;
  let server: Promise<string> | null = null;
  const results = await runTests(valid, {
    cwd,
    only,
    update: update === true,
    atOnce,
    timeoutMs,
    maker,
    environment,
    stop,
    note,
    server: () => {
      server ??= findTestServer({
        env: environment,
        cacheDir,
        onProgress: (line) => line.includes('using') || note(line),
        signal: stop,
      }).then(({ path }) => path);
      return server;
    },
    onResult: (result) => {
      if (!output.json) output.raw(formatResult(result, output.paint));
    },
  });
  const ms = io.now() - startedMs;
  const shape = { schema: 'renderline/test/v1', ms, tests: results.map(toOutput) };
  output.result(shape, () => `\n${formatSummary(results, ms, output.paint)}`);
  return results;
}

/** One test in the JSON output. */
function toOutput({ runs, ...result }: TestResult) {
  return { ...result, runs: runs.map(({ facts, problems }) => ({ ...facts, problems })) };
}

function refuseInvalid(session: Session, files: readonly CheckedTests[]): ValidTests[] {
  for (const one of files) {
    if (one.problems.length > 0) session.output.note(problemText(session, one, one.problems));
  }
  const valid = files.flatMap((one) => (one.tests === null ? [] : [{ ...one, tests: one.tests }]));
  if (valid.length === files.length) return valid;
  const invalid = files.filter(({ tests }) => tests === null);
  const problems = invalid.flatMap((one) => one.problems);
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  const names = invalid.map(({ file }) => file).join(' and ');
  const message = `${names} ${invalid.length === 1 ? 'is' : 'are'} not valid: ${formatCount(errors, 'problem')}. No test was run.`;
  throw new CliError(commandFailures.INVALID_TESTS, message, { fix: '', details: { problems } });
}

function refuseNoMatch(files: readonly ValidTests[], only: string): void {
  const names = files.flatMap(({ tests }) => tests.tests.map(({ name }) => name));
  if (names.some((name) => matchesName(name, only))) return;
  const known = names.slice(0, 20).map((name) => `  ${name}`);
  throw new CliError(commandFailures.NO_TESTS, `No test has ${JSON.stringify(only)} in its name.`, {
    fix: ['The tests are:', ...known].join('\n'),
  });
}
