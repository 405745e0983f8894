// The error message of a test that reached its timeout, with the progress of its run.

import type { RunProgress } from '../../plan/contract/contract.ts';
import { formatCount } from '../../plan/helpers/format-count.ts';
import { readFreshProgress } from '../runs/fresh-progress.ts';
import type { TestBed } from './workers/test-bed.ts';

/** What a test has started so far; `run` is its latest run. */
export interface StartedTest {
  /** Pending or finished start of the test bed. */
  opening: Promise<TestBed> | null;
  testBed: TestBed | null;
  run: string | null;
}

/** Formats the timeout of a test and the progress of its run. */
export async function formatTimeout(
  ms: number,
  { testBed, run }: Pick<StartedTest, 'testBed' | 'run'>,
): Promise<string> {
  const head = `Timeout: the test did not end within ${ms / 1_000} s of real time. Allow more with \`timeout:\` or \`--timeout\`.`;
  if (testBed === null || run === null) return `${head}\nNo run has started.`;
  const progress = await testBed
    .runScoped(() => readFreshProgress(testBed.temporal, run))
    .catch(() => null);
  if (progress === null) return `${head}\nIts run ${run} does not respond.`;
  return `${head}\n${formatProgress(progress)}`;
}

function formatProgress({ state, totals, steps, discovery }: RunProgress): string {
  if (discovery === null) return 'Its run is still discovering assets.';
  const open = Object.entries(steps).flatMap(([id, { running }]) =>
    running > 0 ? [`${formatCount(running, 'asset')} at ${id}`] : [],
  );
  const where = open.length === 0 ? '' : `: ${open.join(', ')}`;
  return `Its run is ${state}, ${totals.complete} of ${formatCount(totals.total, 'asset')} complete${where}.`;
}
