// Decides when more assets have failed than a file tolerates. Pure.

import { count } from './count.ts';
import type { OwnCode } from './own-code.ts';
import type { RunCause } from './run-cause.ts';
import type { Tolerance } from './types.ts';

/**
 * @param taken assets that the run takes, including refused ones
 * @returns why the run stops or pauses; null if it may continue
 */
export function breachOf(tolerance: Tolerance, failed: number, taken: number): RunCause | null {
  const { failures, of, onBreach } = tolerance;
  const allowed = of === 'count' ? failures : Math.floor((failures * taken) / 100);
  if (failed <= allowed) return null;
  const limit = of === 'count' ? `${failures}` : `${failures}%, which is ${allowed}`;
  const stops = onBreach === 'stop';
  return {
    code: 'TOO_MANY_FAILURES' satisfies OwnCode,
    message: `${failed} of ${count(taken, 'asset')} failed; \`tolerate.failures\` allows ${limit}`,
    fix: stops
      ? 'Mend what failed and redo the run with `renderline rerun`, or raise `tolerate.failures` and run the pipeline again: what is complete is not done twice'
      : 'Look at what failed; resume the run, which then goes on to its end, or cancel it',
    kind: stops ? 'never' : 'later',
  };
}
