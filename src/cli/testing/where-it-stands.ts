// The error message of a test that reached its timeout, with the progress of its run.
import type { RunProgress } from '../../plan/contract.ts';
import { count } from '../../plan/count.ts';
import { freshProgress } from '../runs/fresh-progress.ts';
import type { Stage } from './stage.ts';

/** What a test has started so far; `run` is its latest run. */
export interface Watched {
  /** Pending or finished start of the test bed. */
  opening: Promise<Stage> | null;
  stage: Stage | null;
  run: string | null;
}

/** Formats the timeout of a test and the progress of its run. */
export async function tooLongWords(
  ms: number,
  { stage, run }: Pick<Watched, 'stage' | 'run'>,
): Promise<string> {
  const head = `Timeout: the test did not end within ${ms / 1_000} s of real time. Allow more with \`timeout:\` or \`--timeout\`.`;
  if (stage === null || run === null) return `${head}\nNo run has started.`;
  const progress = await stage.within(() => freshProgress(stage.temporal, run)).catch(() => null);
  if (progress === null) return `${head}\nIts run ${run} does not respond.`;
  return `${head}\n${progressWords(progress)}`;
}

function progressWords({ state, totals, steps, discovery }: RunProgress): string {
  if (discovery === null) return 'Its run is still discovering assets.';
  const open = Object.entries(steps).flatMap(([id, { running }]) =>
    running > 0 ? [`${count(running, 'asset')} at ${id}`] : [],
  );
  const where = open.length === 0 ? '' : `: ${open.join(', ')}`;
  return `Its run is ${state}, ${totals.complete} of ${count(totals.total, 'asset')} complete${where}.`;
}
