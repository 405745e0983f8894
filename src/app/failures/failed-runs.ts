// Reads what failed in the runs that ended since a point in time and was not delivered since, each asset once.
import type { Client } from '@temporalio/client';
import { createUnfinishedFilter } from '../../engine/discovery/unfinished-filter.ts';
import { workflowNames } from '../../plan/contract/contract.ts';
import { formatCount } from '../../plan/helpers/format-count.ts';
import type { Failure } from '../../plan/types.ts';
import { listUnfinished } from '../../store/discovery/unfinished-assets.ts';
import { mapBounded } from '../../store/objects/map-bounded.ts';
import type { RecordIndex } from '../../store/records/records.ts';
import type { RunStore } from '../../store/runs/run-store.ts';
import { listWorkflows, type UnreadableNote } from '../../temporal/codec/tolerant-reader.ts';
import { isRunAllowed, noteRunsOutside } from '../allowed-folders.ts';
import type { App } from '../app.ts';
import { createProgressNote } from '../progress-note.ts';
import { explainError } from '../renderline-error.ts';
import { parseSince } from '../report/parse-since.ts';
import { openStoreOfRun } from '../runs/open-run-store.ts';
import { type RunSnapshot, snapshotOf } from '../runs/run-snapshot.ts';

export interface FailuresQuery {
  /** A time in the past, see `parseSince`. */
  since: string;
  pipeline?: string | undefined;
  /** Only failures that match this CEL expression. */
  where?: string | undefined;
}

export interface FailedRun {
  snapshot: RunSnapshot;
  /** Failures that no later run has repaired, without assets that failed again in a newer run of the list. */
  failures: Failure[];
  /** Number of assets that failed in this run and that a later run has delivered. */
  repaired: number;
  /** Keys of assets that failed again in a newer run of the list. */
  failedAgain: string[];
  /** The open run that reruns this one; null if there is none. */
  rerunBy: string | null;
}

export interface FailedRuns {
  /** ISO 8601. */
  since: string;
  /** Runs in which something failed, newest first. */
  runs: FailedRun[];
  /** Runs whose records or memo cannot be read here. */
  unreadable: { run: string; unreadable: UnreadableNote }[];
  /** Number of further runs, which were not read. */
  notRead: number;
}

/** Maximum number of runs whose failures are read, because reading takes time. */
const maxRuns = 200;

/** @throws RenderlineError BAD_TIME; WhereError */
export async function readFailedRuns(
  app: App,
  client: Client,
  { since, pipeline, where }: FailuresQuery,
): Promise<FailedRuns> {
  const fits = where === undefined ? () => true : createUnfinishedFilter(where);
  const sinceIso = new Date(parseSince(since, app.now())).toISOString();
  const onProgress = createProgressNote(app, (done) => `Read ${formatCount(done, 'run')}`);
  const { closed, reruns, notRead } = await listClosedRuns(app, client, sinceIso, pipeline);
  const result: FailedRuns = { since: sinceIso, runs: [], unreadable: [], notRead };
  const pipelines = new Map<string, PipelineFailures>();
  for (const [index, snapshot] of closed.entries()) {
    const { run, memo } = snapshot;
    try {
      const store = openStoreOfRun(snapshot);
      const id = JSON.stringify([snapshot.pipeline, memo?.records]);
      const known = pipelines.get(id) ?? new PipelineFailures(store, app.signal);
      pipelines.set(id, known);
      const failures: Failure[] = [];
      for await (const one of listUnfinished(store, { isRunClosed: true, signal: app.signal })) {
        if (one.failure !== null && fits(one)) failures.push(one.failure);
      }
      const remaining = await known.withoutLater(failures, snapshot.startedAtMs);
      if (failures.length > 0)
        result.runs.push({ snapshot, ...remaining, rerunBy: reruns.get(run) ?? null });
    } catch (error) {
      app.signal.throwIfAborted();
      const { code, message, fix } = explainError(error);
      result.unreadable.push({ run, unreadable: { code, message, fix } });
    }
    onProgress(index + 1);
  }
  return result;
}

/** Filters the failures of a pipeline run by run. Runs must be added newest first. */
class PipelineFailures {
  readonly #store: RunStore;
  readonly #signal: AbortSignal;
  readonly #seen = new Set<string>();
  #index: Promise<RecordIndex> | undefined;

  constructor(store: RunStore, signal: AbortSignal) {
    this.#store = store;
    this.#signal = signal;
  }

  async withoutLater(
    failures: readonly Failure[],
    startedAtMs: number,
  ): Promise<Pick<FailedRun, 'failures' | 'repaired' | 'failedAgain'>> {
    const fresh = failures.filter(({ key }) => !this.#seen.has(key));
    const failedAgain = failures.map(({ key }) => key).filter((key) => this.#seen.has(key));
    for (const { key } of fresh) this.#seen.add(key);
    const isRepaired = ({ key }: Failure) => this.#wasDelivered(key, startedAtMs);
    const repaired = await mapBounded(fresh, isRepaired, { signal: this.#signal });
    const remaining = fresh.filter((_, index) => !repaired[index]);
    return {
      failures: remaining,
      repaired: fresh.length - remaining.length,
      failedAgain,
    };
  }

  async #wasDelivered(key: string, sinceMs: number): Promise<boolean> {
    const { records } = this.#store;
    this.#index ??= records.index(this.#signal);
    const entry = (await this.#index).get(key);
    const record = entry && (await records.read(entry.name));
    return record !== null && Date.parse(record.finishedAt) > sinceMs;
  }
}

interface ListedRuns {
  /** Newest first. */
  closed: RunSnapshot[];
  /** Open reruns by the run that they repeat. */
  reruns: ReadonlyMap<string, string>;
  notRead: number;
}

async function listClosedRuns(
  app: App,
  client: Client,
  since: string,
  pipeline: string | undefined,
): Promise<ListedRuns> {
  const query = `WorkflowType = '${workflowNames.run}' AND (CloseTime >= '${since}' OR ExecutionStatus = 'Running')`;
  const closed: RunSnapshot[] = [];
  const reruns = new Map<string, string>();
  let notRead = 0;
  let outside = 0;
  for await (const info of listWorkflows(client, { query, pageSize: 100 })) {
    if (info.status.name === 'CONTINUED_AS_NEW') continue;
    const snapshot = snapshotOf(info);
    if (pipeline !== undefined && snapshot.pipeline !== pipeline) continue;
    if (snapshot.status === 'running') {
      const { rerun } = snapshot.memo ?? {};
      if (rerun) reruns.set(rerun.of, snapshot.run);
    } else if (!(await isRunAllowed(app, snapshot))) outside += 1;
    else if (closed.length >= maxRuns) notRead += 1;
    else closed.push(snapshot);
  }
  noteRunsOutside(app, outside);
  closed.sort((a, b) => b.startedAtMs - a.startedAtMs);
  return { closed, reruns, notRead };
}
