// Where a run stands that did not end in the time of its test.
import type { RunProgress } from '../../plan/contract.ts';
import { count } from '../../plan/count.ts';
import { freshProgress } from '../runs/fresh-progress.ts';
import type { Stage } from './stage.ts';

/** The run of a test that has been started last. */
export interface Watched {
  /** Settles once the stage is there, or could not be opened. */
  opening: Promise<Stage> | null;
  stage: Stage | null;
  run: string | null;
}

/** What a test that took too long says: how long it had, and what goes on. */
export async function tooLongWords(
  ms: number,
  { stage, run }: Pick<Watched, 'stage' | 'run'>,
): Promise<string> {
  const head = `It did not end within ${ms / 1_000} s of real time; \`timeout:\`, or \`--timeout\`, gives it more.`;
  if (stage === null || run === null) return `${head}\nNo run of it was seen to start.`;
  const progress = await stage.within(() => freshProgress(stage.temporal, run)).catch(() => null);
  if (progress === null) return `${head}\nIts run ${run} does not answer.`;
  return `${head}\n${progressWords(progress)}`;
}

function progressWords({ state, totals, steps, discovery }: RunProgress): string {
  if (discovery === null) return 'Its run still looks for its assets.';
  const open = Object.entries(steps).flatMap(([id, { running }]) =>
    running > 0 ? [`${count(running, 'asset')} at ${id}`] : [],
  );
  const where = open.length === 0 ? '' : `: ${open.join(', ')}`;
  return `Its run is ${state}, ${totals.complete} of ${count(totals.total, 'asset')} complete${where}.`;
}
