// Plays the tests of files, several at once, and tells of each as soon as it has ended.
import { availableParallelism } from 'node:os';
import pLimit from 'p-limit';
import type { CheckedTests } from '../../compile/test-file/check-tests.ts';
import type { TestFile } from '../../compile/test-file/test-file.ts';
import { type PlayOptions, playTest, type TestResult } from './play-test.ts';
import { Snapshots } from './snapshots.ts';

/** A file whose problems, if any, are no errors. */
export interface SoundTests extends CheckedTests {
  tests: TestFile;
}

export interface AllOptions extends Omit<PlayOptions, 'snapshots'> {
  cwd: string;
  /** Part of the names of the tests to be played; empty for all. */
  only: string;
  /** @default as many as the machine does at once, at most four */
  atOnce?: number | undefined;
  update: boolean;
  onResult: (result: TestResult) => void;
}

const mostAtOnce = 4;

/** In the order of the files. */
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

/** Each has cleaned up before the first that failed is thrown. */
async function everyOne<T>(works: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(works);
  return Promise.all(works);
}

export function isMeant(name: string, only: string): boolean {
  return name.toLowerCase().includes(only.toLowerCase());
}
