// Checks test files and runs their tests once.
import { setMaxListeners } from 'node:events';
import { availableParallelism } from 'node:os';
import pLimit from 'p-limit';
import { type CheckedTests, checkTestFile } from '../../compile/test-file/check-tests.ts';
import type { TestFile } from '../../compile/test-file/test-file.ts';
import { isMissingFile } from '../../compile/yaml/read-file.ts';
import { commandFailures } from '../../failures/commands.ts';
import { formatCount } from '../../plan/helpers/format-count.ts';
import { mapBounded } from '../../store/objects/map-bounded.ts';
import { findTestServer } from '../../temporal/server/test-server.ts';
import type { App } from '../app.ts';
import { withDocsLinks } from '../compile-pipeline.ts';
import { loadSandbox } from '../local/load-sandbox.ts';
import { RenderlineError } from '../renderline-error.ts';
import { findTestFiles } from './find-tests.ts';
import { installQuietRuntime } from './quiet-runtime.ts';
import { type RunTestOptions, runTest, snapshotNamesOf, type TestResult } from './run-test.ts';
import { Snapshots } from './snapshots.ts';

export interface TestFlags {
  /** Runs only tests whose names contain this text. @default all tests */
  only?: string | undefined;
  update?: true | undefined;
  /** Number of tests to run concurrently. @default number of processors, at most 4 */
  atOnce?: number | undefined;
  timeout?: number | undefined;
}

interface TestOptions extends TestFlags {
  onResult?: (result: TestResult) => void;
}

/** Timeout, in real time, of tests that declare none. */
const usualTimeoutMs = 60_000;

/**
 * @param stop aborts the tests and stops what they started
 * @returns the results, and the shape of the command with the duration of all tests together
 * @throws RenderlineError ENOENT, INVALID_TESTS, NO_TESTS
 */
export async function checkAndRunTests(
  app: App,
  paths: readonly string[],
  { timeout: timeoutMs = usualTimeoutMs, ...flags }: TestOptions,
  stop: AbortSignal,
) {
  // Each test adds a listener to the signal, so Node.js would warn about a leak.
  setMaxListeners(0, stop);
  const { cwd, env: environment } = app;
  const options = await app.compileSettings();
  const testFiles = await findTestFiles(paths, cwd);
  const files = await mapBounded(testFiles, (file) => checkTestFile(file, options));
  const valid = requireValidTests(app, files);
  assertSomeMatch(valid, flags.only);
  const maker = await loadSandbox();
  const startedAtMs = app.now();
  const note = (text: string) => app.note(text);
  installQuietRuntime((text) => environment['RENDERLINE_LOG'] === 'debug' && note(text));
  const cacheDir = (await app.config()).cacheDir.value;
  const onProgress = (line: string) => line.includes('using') || note(line);
  let found: Promise<string> | null = null;
  const server = () => {
    const search = { env: environment, cacheDir, onProgress, signal: stop };
    found ??= findTestServer(search).then(({ path }) => path);
    return found;
  };
  const testOptions = { timeoutMs, maker, environment, stop, note, server };
  const results = await runTests(valid, cwd, flags, testOptions);
  const tests = results.map((result) => ({
    ...result,
    runs: result.runs.map(({ facts, problems }) => ({ ...facts, problems })),
  }));
  const ms = app.now() - startedAtMs;
  return { results, shape: { schema: 'renderline/test/v1' as const, ms, tests } };
}

function requireValidTests(app: App, files: readonly CheckedTests[]): ValidTests[] {
  for (const checkedFile of files) app.reportProblems(checkedFile, checkedFile.problems);
  const valid = files.flatMap((checkedFile) =>
    checkedFile.tests === null ? [] : [{ ...checkedFile, tests: checkedFile.tests }],
  );
  if (valid.length === files.length) return valid;
  const invalid = files.filter(({ tests }) => tests === null);
  const problems = invalid.flatMap((checkedFile) => checkedFile.problems);
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  const names = invalid.map(({ file }) => file).join(' and ');
  const message = `${names} ${invalid.length === 1 ? 'is' : 'are'} not valid: ${formatCount(errors, 'problem')}. No test was run.`;
  const details = { problems: withDocsLinks(problems) };
  if (!problems.every(isMissingFile))
    throw new RenderlineError(commandFailures.INVALID_TESTS, message, { fix: '', details });
  throw new RenderlineError(
    commandFailures.ENOENT,
    `Test file not found: ${names.replaceAll(' and ', ' or ')}. No test was run.`,
    { fix: 'Check the path, or write the tests: docs/testing.md', details },
  );
}

function assertSomeMatch(files: readonly ValidTests[], only = ''): void {
  const names = files.flatMap(({ tests }) => tests.tests.map(({ name }) => name));
  if (names.some((name) => isNameMatch(name, only))) return;
  const nameLines = names.slice(0, 20).map((name) => `  ${name}`);
  throw new RenderlineError(
    commandFailures.NO_TESTS,
    `No test has ${JSON.stringify(only)} in its name.`,
    { fix: ['Available tests:', ...nameLines].join('\n') },
  );
}

/** A test file without errors. It may contain warnings. */
interface ValidTests extends CheckedTests {
  tests: TestFile;
}

const maxConcurrent = 4;

/** Runs the tests of several files concurrently. @returns the results in the order of the files */
async function runTests(
  files: readonly ValidTests[],
  cwd: string,
  { only = '', atOnce, update, onResult }: TestOptions,
  options: Omit<RunTestOptions, 'snapshots'>,
): Promise<TestResult[]> {
  const limit = pLimit(atOnce ?? Math.min(maxConcurrent, availableParallelism()));
  const results = await awaitAll(
    files.map(async (checkedFile) => {
      const snapshots = await Snapshots.of(checkedFile.file, cwd, update === true);
      const selectedTests = checkedFile.tests.tests.flatMap((test, index) =>
        isNameMatch(test.name, only) ? [{ test, path: ['tests', index] }] : [],
      );
      const played = await awaitAll(
        selectedTests.map(({ test, path }) =>
          limit(async () => {
            const testCase = { checkedFile, tests: checkedFile.tests, test, path };
            const result = await runTest(testCase, { ...options, snapshots });
            onResult?.(result);
            return result;
          }),
        ),
      );
      await snapshots.save(new Set(checkedFile.tests.tests.flatMap(snapshotNamesOf)));
      return played;
    }),
  );
  return results.flat();
}

/** Waits for all promises, so that every test has cleaned up before an error is thrown. */
async function awaitAll<T>(works: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(works);
  return Promise.all(works);
}

function isNameMatch(name: string, only: string): boolean {
  return name.toLowerCase().includes(only.toLowerCase());
}
