// When a run started, also if it has continued as new since.

/**
 * The start of a run, epoch ms. Temporal reports only the start of the latest execution, so the time in the run's id is
 * used if it is earlier.
 * @param executionStartedMs start of the latest execution
 */
export function startTimeOfRun(run: string, executionStartedMs: number): number {
  return Math.min(executionStartedMs, startTimeInRunId(run) ?? executionStartedMs);
}

/**
 * The start time in the id of a run: `-20261127-020000-1bb9`, or `-2026-11-27T02:00:00Z` for a schedule.
 * Null if the id has none.
 */
export function startTimeInRunId(run: string): number | null {
  const [, day = '', time = ''] = /-(\d{8})-(\d{6})-[0-9a-f]{4}$/.exec(run) ?? [];
  const [, scheduled] = /-(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)$/.exec(run) ?? [];
  const minted = `${day.replace(/(\d{4})(\d\d)(\d\d)/, '$1-$2-$3')}T${time.replace(/(\d\d)(\d\d)(\d\d)/, '$1:$2:$3')}Z`;
  const atMs = Date.parse(scheduled ?? minted);
  return Number.isNaN(atMs) ? null : atMs;
}
