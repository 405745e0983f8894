// Reads what failed in runs that ended since a given time and has not been delivered since. Each asset counts once.
import type { Client } from '@temporalio/client';
import { createUnfinishedFilter } from '../../engine/discovery/unfinished-filter.ts';
import { formatCount } from '../../plan/helpers/format-count.ts';
import { groupBy } from '../../plan/helpers/group-by.ts';
import type { Failure } from '../../plan/types.ts';
import { listUnfinished } from '../../store/discovery/unfinished-assets.ts';
import type { App } from '../app.ts';
import { createProgressNote } from '../progress-note.ts';
import { explainError } from '../renderline-error.ts';
import { parseSince } from '../report/parse-since.ts';
import { listRecentRuns, type RecentRuns } from '../report/recent-runs.ts';
import { RepairedFailures } from '../report/repaired-failures.ts';
import type { RunSnapshot } from '../runs/run-snapshot.ts';
import { openStoreWithAssets } from './open-store-with-assets.ts';

export interface FailuresQuery {
  /** A time in the past. See `parseSince`. */
  since: string;
  pipeline?: string | undefined;
  /** Only failures that match this CEL expression. */
  where?: string | undefined;
}

export interface FailedRun {
  snapshot: RunSnapshot;
  /** Failures that are neither `repaired` nor `failedAgain`. */
  failures: Failure[];
  /** Keys of failed assets that have been delivered since. See `RepairedFailures`. */
  repaired: string[];
  /** Keys of assets that are not repaired and that failed again in a newer run of the list. */
  failedAgain: string[];
  /** The open run that is rerunning this one. Null if there is none. */
  rerunBy: string | null;
}

/** `unreadable`: runs whose records or memo cannot be read here. */
export interface FailedRuns extends Pick<RecentRuns, 'unreadable' | 'notRead'> {
  /** ISO 8601. */
  since: string;
  /** Runs with failures, newest first. */
  runs: FailedRun[];
}

/** @throws RenderlineError BAD_TIME; WhereError */
export async function readFailedRuns(
  app: App,
  client: Client,
  { since, pipeline, where }: FailuresQuery,
): Promise<FailedRuns> {
  const isWanted = where === undefined ? () => true : createUnfinishedFilter(where);
  const sinceIso = new Date(parseSince(since, app.now())).toISOString();
  const onProgress = createProgressNote(app, (done) => `Read ${formatCount(done, 'run')}`);
  // Maps a run to the open run that is rerunning it.
  const reruns = new Map<string, string>();
  const isClosed = ({ run, status, memo }: Pick<RunSnapshot, 'run' | 'status' | 'memo'>) => {
    if (status === 'running' && memo?.rerun) reruns.set(memo.rerun.of, run);
    return status !== 'running';
  };
  const condition = `CloseTime >= '${sinceIso}' OR ExecutionStatus = 'Running'`;
  const recentRuns = await listRecentRuns(app, client, { condition, pipeline, isWanted: isClosed });
  const result: FailedRuns = { ...recentRuns, since: sinceIso, runs: [] };
  const repairs = new RepairedFailures(app.signal);
  const failedLater = new Map<string, Set<string>>();
  for (const [index, snapshot] of recentRuns.runs.entries()) {
    const { run, memo } = snapshot;
    try {
      const store = await openStoreWithAssets(client, snapshot, app.now());
      const failures: Failure[] = [];
      const options = { isRunClosed: true, signal: app.signal };
      for await (const asset of listUnfinished(store, options)) {
        if (asset.failure !== null && isWanted(asset)) failures.push(asset.failure);
      }
      const id = JSON.stringify([snapshot.pipeline, memo?.records]);
      const laterFailures = failedLater.get(id) ?? new Set();
      failedLater.set(id, laterFailures);
      const repaired = await repairs.keysOf(snapshot, failures);
      const stateOf = ({ key }: Failure) => {
        if (repaired.has(key)) return 'repaired';
        return laterFailures.has(key) ? 'failedAgain' : 'failed';
      };
      const failuresByState = groupBy(failures, stateOf);
      const keysOf = (state: ReturnType<typeof stateOf>) =>
        (failuresByState.get(state) ?? []).map(({ key }) => key);
      if (failures.length > 0)
        result.runs.push({
          snapshot,
          failures: failuresByState.get('failed') ?? [],
          repaired: keysOf('repaired'),
          failedAgain: keysOf('failedAgain'),
          rerunBy: reruns.get(run) ?? null,
        });
      for (const { key } of failures) laterFailures.add(key);
    } catch (error) {
      app.signal.throwIfAborted();
      const { code, message, fix } = explainError(error);
      result.unreadable.push({ run, unreadable: { code, message, fix } });
    }
    onProgress(index + 1);
  }
  return result;
}
