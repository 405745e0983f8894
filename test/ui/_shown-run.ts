// A run as input of its page.
import { zeroAssetCounts } from '../../src/app/runs/run-shape.ts';
import type { ShownRun } from '../../src/app/runs/show-run.ts';

/** A run that has not discovered any asset yet. */
export function shownRun(change: Partial<ShownRun['shape']> = {}): ShownRun['shape'] {
  return {
    schema: 'renderline/run/v1',
    run: 'r-1',
    pipeline: 'p',
    rerun: null,
    outcome: 'running',
    cause: null,
    canary: null,
    inFlight: null,
    waits: [],
    destination: '/out',
    unknown: null,
    discovered: true,
    verified: null,
    assets: zeroAssetCounts,
    startPoints: [],
    exports: [],
    files: [],
    withdrawn: null,
    deleted: [],
    failures: [],
    warnings: [],
    requests: { total: 0, byOperation: {} },
    paid: null,
    historyEvents: 0,
    seconds: 4,
    temporalUi: null,
    steps: [],
    results: [],
    notices: [],
    remark: null,
    ...change,
  };
}
