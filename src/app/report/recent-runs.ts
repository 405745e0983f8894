// Lists the runs of a period, for commands that read their results.
import type { Client } from '@temporalio/client';
import { workflowNames } from '../../plan/contract/contract.ts';
import { mapBounded } from '../../store/objects/map-bounded.ts';
import { listWorkflows, type UnreadableNote } from '../../temporal/codec/tolerant-reader.ts';
import { createRunFilter, noteRunsOutside } from '../allowed-folders.ts';
import type { App } from '../app.ts';
import { type RunSnapshot, readSnapshotOf, snapshotOf } from '../runs/run-snapshot.ts';

export interface RecentRuns {
  /** Newest first. */
  runs: RunSnapshot[];
  /** Runs whose memo cannot be decrypted here. */
  unreadable: { run: string; unreadable: UnreadableNote }[];
  /** Number of older runs that were not read. */
  notRead: number;
}

export interface RecentRunsOptions {
  condition: string;
  pipeline?: string | undefined;
  /** @default all runs */
  isWanted?: (run: Omit<RunSnapshot, 'startedAtMs'>) => boolean;
}

/** Maximum number of runs whose results are read, because reading takes time. */
const maxRuns = 200;

/** Lists the newest runs, and notes how many are outside the folders that this server may read. */
export async function listRecentRuns(
  app: App,
  client: Client,
  { condition, pipeline, isWanted = () => true }: RecentRunsOptions,
): Promise<RecentRuns> {
  const isAllowed = createRunFilter(app);
  const query = `WorkflowType = '${workflowNames.run}' AND (${condition})`;
  const newestExecutions: Parameters<typeof readSnapshotOf>[1][] = [];
  const unreadable: RecentRuns['unreadable'] = [];
  let notRead = 0;
  let outside = 0;
  for await (const info of listWorkflows(client, { query, pageSize: 100 })) {
    const snapshot = snapshotOf(info);
    if (info.status.name === 'CONTINUED_AS_NEW') continue;
    if (pipeline !== undefined && snapshot.pipeline !== pipeline) continue;
    if (!isWanted(snapshot)) continue;
    if (info.unreadable !== null)
      unreadable.push({ run: snapshot.run, unreadable: info.unreadable });
    else if (!(await isAllowed(snapshot))) outside += 1;
    else if (newestExecutions.length >= maxRuns) notRead += 1;
    else newestExecutions.push(info);
  }
  noteRunsOutside(app, outside);
  const read = (info: (typeof newestExecutions)[number]) => readSnapshotOf(client, info);
  const runs = await mapBounded(newestExecutions, read, { signal: app.signal });
  runs.sort((a, b) => b.startedAtMs - a.startedAtMs);
  return { runs, unreadable, notRead };
}
