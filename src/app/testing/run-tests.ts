// Runs the tests of several files concurrently, and reports each result immediately.
import { availableParallelism } from 'node:os';
import pLimit from 'p-limit';
import type { CheckedTests } from '../../compile/test-file/check-tests.ts';
import type { TestFile } from '../../compile/test-file/test-file.ts';
import { type RunTestOptions, runTest, snapshotNames, type TestResult } from './run-test.ts';
import { Snapshots } from './snapshots.ts';

/** A test file without errors; it may have warnings. */
export interface ValidTests extends CheckedTests {
  tests: TestFile;
}

export interface RunTestsOptions extends Omit<RunTestOptions, 'snapshots'> {
  cwd: string;
  /** Runs only tests with this text in their names; empty for all. */
  only: string;
  /** Number of concurrent tests. @default number of processors, at most 4 */
  atOnce?: number | undefined;
  update: boolean;
  onResult: (result: TestResult) => void;
}

const maxConcurrent = 4;

/** @returns results in the order of the files */
export async function runTests(
  files: readonly ValidTests[],
  { cwd, only, atOnce, update, onResult, ...options }: RunTestsOptions,
): Promise<TestResult[]> {
  const limit = pLimit(atOnce ?? Math.min(maxConcurrent, availableParallelism()));
  const results = await awaitAll(
    files.map(async (checked) => {
      const snapshots = await Snapshots.of(checked.file, cwd, update);
      const selected = checked.tests.tests.flatMap((test, index) =>
        matchesName(test.name, only) ? [{ test, path: ['tests', index] }] : [],
      );
      const played = await awaitAll(
        selected.map(({ test, path }) =>
          limit(async () => {
            const testCase = { checked, tests: checked.tests, test, path };
            const result = await runTest(testCase, { ...options, snapshots });
            onResult(result);
            return result;
          }),
        ),
      );
      await snapshots.save(new Set(checked.tests.tests.flatMap(snapshotNames)));
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

export function matchesName(name: string, only: string): boolean {
  return name.toLowerCase().includes(only.toLowerCase());
}
