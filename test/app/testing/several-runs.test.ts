// The result of `renderline test` for several runs that events start.
import { expect, test } from 'vitest';
import type { RunDetails } from '../../../src/app/runs/run-details.ts';
import { zeroAssetCounts } from '../../../src/app/runs/run-shape.ts';
import type { RunSnapshot } from '../../../src/app/runs/run-snapshot.ts';
import { combineRuns } from '../../../src/app/testing/execute-run.ts';

/** The report of a run that ended in this way, for example `paused BUDGET`. */
function reportOf(end: string): RunDetails {
  const [outcome = '', code] = end.split(' ');
  const shape = {
    outcome,
    cause: code ? { code } : null,
    assets: zeroAssetCounts,
    files: [],
    failures: [],
    warnings: [],
    requests: { byOperation: {} },
  };
  // The tested code reads no other field.
  return { shape, progress: null } as unknown as RunDetails;
}

test.each<[string[], string, string | null]>([
  [[], 'complete', null],
  [['complete', 'complete'], 'complete', null],
  [['complete', 'partial_failure', 'failed X', 'complete'], 'failed', 'X'],
  [['partial_failure', 'paused P', 'complete'], 'paused', 'P'],
  [['paused P', 'failed X'], 'failed', 'X'],
  [['paused P', 'failed'], 'failed', 'P'],
  [['partial_failure', 'cancelled'], 'cancelled', null],
])(
  'runs that end as %j have the combined outcome %s and the cause %s',
  async (ends, outcome, cause) => {
    const snapshots: RunSnapshot[] = [];
    const notices = { take: () => [], count: () => 0, redirect: (url: string) => url };
    expect(await combineRuns(snapshots, ends.map(reportOf), { notices })).toMatchObject({
      outcome,
      cause,
      runs: ends.length,
    });
  },
);
