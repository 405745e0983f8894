// Runs the tests of several files concurrently, and reports each result immediately.
import { availableParallelism } from 'node:os';
import pLimit from 'p-limit';
import type { CheckedTests } from '../../compile/test-file/check-tests.ts';
import type { TestFile } from '../../compile/test-file/test-file.ts';
import { type PlayOptions, playTest, type TestResult } from './play-test.ts';
import { Snapshots } from './snapshots.ts';

/** A test file without errors; it may have warnings. */
export interface SoundTests extends CheckedTests {
  tests: TestFile;
}

export interface AllOptions extends Omit<PlayOptions, 'snapshots'> {
  cwd: string;
  /** Runs only tests with this text in their names; empty for all. */
  only: string;
  /** Number of concurrent tests. @default number of processors, at most 4 */
  atOnce?: number | undefined;
  update: boolean;
  onResult: (result: TestResult) => void;
}

const mostAtOnce = 4;

/** @returns results in the order of the files */
export async function playAll(
  files: readonly SoundTests[],
  { cwd, only, atOnce, update, onResult, ...options }: AllOptions,
): Promise<TestResult[]> {
  const limit = pLimit(atOnce ?? Math.min(mostAtOnce, availableParallelism()));
  const results = await everyOne(
    files.map(async (checked) => {
      const snapshots = await Snapshots.of(checked.file, cwd, update);
      const chosen = checked.tests.tests.flatMap((test, index) =>
        isMeant(test.name, only) ? [{ test, at: ['tests', index] }] : [],
      );
      const played = await everyOne(
        chosen.map(({ test, at }) =>
          limit(async () => {
            const toPlay = { checked, tests: checked.tests, test, at };
            const result = await playTest(toPlay, { ...options, snapshots });
            onResult(result);
            return result;
          }),
        ),
      );
      await snapshots.save(only === '');
      return played;
    }),
  );
  return results.flat();
}

/** Waits for all promises, so that every test has cleaned up before an error is thrown. */
async function everyOne<T>(works: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(works);
  return Promise.all(works);
}

export function isMeant(name: string, only: string): boolean {
  return name.toLowerCase().includes(only.toLowerCase());
}
