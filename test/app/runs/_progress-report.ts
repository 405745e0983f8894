// A progress report of a run.
import type { ProgressReport } from '../../../src/app/runs/progress-report.ts';

export function progressReport(change: Partial<ProgressReport> = {}): ProgressReport {
  return {
    run: 'r-1',
    state: 'running',
    cause: null,
    totals: { total: 8, complete: 3, failed: 1, skipped: 0 },
    steps: [{ id: 'take', count: { waiting: 1, running: 2, done: 3, failed: 1 } }],
    requests: 7,
    listing: null,
    elapsedMs: 61_400,
    remainingMs: null,
    waits: [],
    nowMs: 600_000,
    remark: null,
    ...change,
  };
}
