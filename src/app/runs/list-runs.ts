import type { WorkflowExecutionInfo } from '@temporalio/client';
import { workflowNames } from '../../plan/contract/contract.ts';
import type { GeneralPause } from '../../plan/run/general-pause.ts';
import type { PaidWork } from '../../plan/run/paid-work.ts';
import { mapBounded } from '../../store/objects/map-bounded.ts';
import { listWorkflows, type WithReadability } from '../../temporal/codec/tolerant-reader.ts';
import { listGeneralPauses } from '../../temporal/runs/general-pause.ts';
import type { App } from '../app.ts';
import { withTemporal } from '../temporal-client.ts';
import { noteUnreadable } from '../unreadable-payload.ts';
import { type ListedRun, readListedRun, toListedRun } from './listed-run.ts';
import { readPaidOrNull } from './open-run-store.ts';
import { snapshotOf } from './run-snapshot.ts';
import { findStrandedRuns, noteStranded, type StrandedRun } from './stranded-runs.ts';

export interface RunsList {
  schema: 'renderline/runs/v1';
  /** General pauses (`pause --all`) of all task queues. */
  pauses: GeneralPause[];
  runs: RunRow[];
}

export interface RunRow extends ListedRun {
  /** Set if no worker can continue the run. */
  stranded: StrandedRun | null;
  /** What the run has paid for. Null if its records cannot be read here. Absent if not requested. */
  paid?: PaidWork | null;
}

interface ListRunsOptions {
  limit: number;
  pipeline?: string | undefined;
  paid?: boolean | undefined;
}

/** Lists the newest runs. Emits notes about runs that cannot be decrypted here, and about stranded runs. */
export async function listRuns(
  app: App,
  { limit, pipeline, paid = false }: ListRunsOptions,
): Promise<RunsList> {
  // Plugins are loaded, because records may be stored behind a connector of a plugin.
  if (paid) await app.usePlugins();
  return withTemporal(app, async ({ client }) => {
    const infos: (WorkflowExecutionInfo & WithReadability)[] = [];
    const query = `WorkflowType = '${workflowNames.run}'`;
    for await (const info of listWorkflows(client, { query, pageSize: 100 })) {
      if (pipeline !== undefined && toListedRun(info).pipeline !== pipeline) continue;
      if (info.status.name === 'CONTINUED_AS_NEW') continue;
      if (infos.push(info) >= limit) break;
    }
    const stranded = await findStrandedRuns(client, infos);
    const runs = await mapBounded(infos, async (info): Promise<RunRow> => {
      const bill = paid ? { paid: await readPaidOrNull(snapshotOf(info)) } : {};
      const run = await readListedRun(client, info);
      return { ...run, stranded: stranded.get(run.run) ?? null, ...bill };
    });
    noteUnreadable(app, 'run', runs);
    noteStranded(app, runs);
    return { schema: 'renderline/runs/v1', pauses: await listGeneralPauses(client), runs };
  });
}
