import { formatCount } from './helpers/format-count.ts';
import type { RunCause } from './run/run-cause.ts';
import type { WorkflowFailureCode } from './run/workflow-failure-codes.ts';
import type { Tolerance } from './types.ts';

/**
 * Compares the number of failed assets with the tolerance.
 * @param takenCount assets that the run takes, including refused ones
 * @returns why the run stops or pauses, or null if it may continue
 */
export function checkTolerance(
  tolerance: Tolerance,
  failedCount: number,
  takenCount: number,
): RunCause | null {
  const { failures, of, onBreach } = tolerance;
  const maxFailures = of === 'count' ? failures : Math.floor((failures * takenCount) / 100);
  if (failedCount <= maxFailures) return null;
  const limit = of === 'count' ? `${failures}` : `${failures}%, which is ${maxFailures}`;
  const stops = onBreach === 'stop';
  return {
    code: 'TOO_MANY_FAILURES' satisfies WorkflowFailureCode,
    message: `${failedCount} of ${formatCount(takenCount, 'asset')} failed; \`tolerate.failures\` allows ${limit}`,
    fix: stops
      ? 'Fix the failures and rerun with `renderline rerun`, or raise `tolerate.failures` and run the pipeline again: completed assets are skipped'
      : 'Check the failures; then resume the run, which continues to its end, or cancel the run',
    kind: stops ? 'never' : 'later',
  };
}
