// I2: at the end of a run, each asset is in exactly one state, and the counts agree.
import type { Evidence, ShownRun, Violation } from './evidence.ts';

export function checkReports({ runs }: Evidence): Violation[] {
  return runs.flatMap((run) =>
    problemsOf(run).map((problem) => ({ invariant: 'I2', what: problem })),
  );
}

/** True for the outcome of a run that a person stopped early. */
export function isStopped(outcome: string): boolean {
  return outcome === 'cancelled' || outcome === 'terminated';
}

const terminal = ['complete', 'failed', 'skipped'] as const;

function problemsOf({ run, outcome, assets, results }: ShownRun): string[] {
  const problems: string[] = [];
  const keys = results.map(({ key }) => key);
  const repeatedKeys = keys.filter((key, index) => keys.indexOf(key) !== index);
  if (repeatedKeys.length > 0)
    problems.push(`${run}: in two states: ${[...new Set(repeatedKeys)].join(', ')}`);
  // A stopped run is not checked further, because a cancelled or terminated run has assets that it never started.
  if (isStopped(outcome)) return problems;
  const { total, complete, failed, skipped } = assets;
  if (total !== complete + failed + skipped) {
    const sum = `${complete} complete, ${failed} failed, ${skipped} skipped`;
    problems.push(`${run}: ${total} assets, but ${sum}`);
  }
  for (const state of terminal) {
    const listedCount = results.filter((result) => result.outcome === state).length;
    // Refused and unchanged assets are counted, but they have no results of their own.
    const fits =
      state === 'complete' ? listedCount === assets.complete : listedCount <= assets[state];
    if (!fits) problems.push(`${run}: counts ${assets[state]} ${state}, lists ${listedCount}`);
  }
  if (outcome === 'complete' && failed > 0) {
    problems.push(`${run}: complete, though ${failed} failed`);
  }
  return problems;
}
