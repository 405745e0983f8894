// Checks test files and runs their tests once.
import { setMaxListeners } from 'node:events';
import type { CheckedTests } from '../../compile/test-file/check-tests.ts';
import { checkTestFile } from '../../compile/test-file/check-tests.ts';
import { commandFailures } from '../../failures/commands.ts';
import { formatCount } from '../../plan/helpers/format-count.ts';
import { findTestServer } from '../../temporal/server/test-server.ts';
import type { App } from '../app.ts';
import { withDocsLinks } from '../compile-pipeline.ts';
import { loadSandbox } from '../local/load-sandbox.ts';
import { RenderlineError } from '../renderline-error.ts';
import { findTestFiles } from './find-tests.ts';
import { installQuietRuntime } from './quiet-runtime.ts';
import type { TestResult } from './run-test.ts';
import { matchesName, runTests, type ValidTests } from './run-tests.ts';

export interface TestFlags {
  only?: string | undefined;
  update?: true | undefined;
  atOnce?: number | undefined;
  timeout?: number | undefined;
}

interface TestOptions extends TestFlags {
  /** Called as each test ends. */
  onResult?: (result: TestResult) => void;
}

export interface TestedPipelines {
  results: TestResult[];
  /** Duration of all tests together. */
  ms: number;
}

/** Timeout, in real time, of tests that declare none. */
const usualTimeoutMs = 60_000;

/** @param stop aborts the tests and stops everything that they started @throws RenderlineError INVALID_TESTS, NO_TESTS */
export async function checkAndRunTests(
  app: App,
  paths: readonly string[],
  {
    only = '',
    update,
    atOnce,
    timeout: timeoutMs = usualTimeoutMs,
    onResult = () => {},
  }: TestOptions,
  stop: AbortSignal,
): Promise<TestedPipelines> {
  // Each test adds a listener to the signal.
  setMaxListeners(0, stop);
  const { cwd, env: environment } = app;
  const options = { ...(await app.compileSettings()), cwd };
  const files = await Promise.all(
    (await findTestFiles(paths, cwd)).map((file) => checkTestFile(file, options)),
  );
  const valid = requireValidTests(app, files);
  refuseNoMatch(valid, only);
  const maker = await loadSandbox();
  const startedMs = app.now();
  const note = (text: string) => app.note(text);
  installQuietRuntime((text) => environment['RENDERLINE_LOG'] === 'debug' && note(text));
  const cacheDir = (await app.config()).cacheDir.value;
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
    onResult,
  });
  return { results, ms: app.now() - startedMs };
}

function requireValidTests(app: App, files: readonly CheckedTests[]): ValidTests[] {
  for (const one of files) {
    app.reportProblems(one, one.problems);
  }
  const valid = files.flatMap((one) => (one.tests === null ? [] : [{ ...one, tests: one.tests }]));
  if (valid.length === files.length) return valid;
  const invalid = files.filter(({ tests }) => tests === null);
  const problems = invalid.flatMap((one) => one.problems);
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  const names = invalid.map(({ file }) => file).join(' and ');
  const message = `${names} ${invalid.length === 1 ? 'is' : 'are'} not valid: ${formatCount(errors, 'problem')}. No test was run.`;
  throw new RenderlineError(commandFailures.INVALID_TESTS, message, {
    fix: '',
    details: { problems: withDocsLinks(problems) },
  });
}

function refuseNoMatch(files: readonly ValidTests[], only: string): void {
  const names = files.flatMap(({ tests }) => tests.tests.map(({ name }) => name));
  if (names.some((name) => matchesName(name, only))) return;
  const known = names.slice(0, 20).map((name) => `  ${name}`);
  throw new RenderlineError(
    commandFailures.NO_TESTS,
    `No test has ${JSON.stringify(only)} in its name.`,
    {
      fix: ['The tests are:', ...known].join('\n'),
    },
  );
}
