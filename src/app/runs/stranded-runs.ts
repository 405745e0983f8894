// Finds stranded runs, which are pinned to a build without workers or whose task queue has no workers.
import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { formatCount } from '../../plan/helpers/format-count.ts';
import { groupBy } from '../../plan/helpers/group-by.ts';
import { readQueue } from '../../temporal/deployments/queue-routing.ts';
import { moveCommands, pinOfVersion } from '../../temporal/deployments/version-pin.ts';
import { parseVersion, type WorkerVersion } from '../../temporal/deployments/worker-version.ts';
import { isOpenStatus } from '../../temporal/runs/open-workflows.ts';
import { findPinnedVersion } from '../../temporal/status/listed-run-fields.ts';
import type { App } from '../app.ts';

export interface StrandedRun {
  why: string;
  fix: string;
}

type ListedExecution = Pick<
  WorkflowExecutionInfo,
  'workflowId' | 'status' | 'taskQueue' | 'typedSearchAttributes'
>;
type Queue = Awaited<ReturnType<typeof readQueue>>;

/** Returns the stranded runs by run id. Reads each task queue once and skips queues that cannot be read. */
export async function findStrandedRuns(
  client: Client,
  executions: readonly ListedExecution[],
): Promise<ReadonlyMap<string, StrandedRun>> {
  const strandedById = new Map<string, StrandedRun>();
  const openExecutions = executions.filter(({ status }) => isOpenStatus(status));
  for (const [taskQueue, runs] of groupBy(openExecutions, (execution) => execution.taskQueue)) {
    const queue = await readQueue(client, taskQueue).catch(() => null);
    if (queue === null) continue;
    for (const run of runs) {
      const version = parseVersion(findPinnedVersion(run) ?? '');
      const stranded = version
        ? findStrandedByBuild(version, queue)
        : findStrandedByQueue(taskQueue, queue);
      if (stranded !== null) strandedById.set(run.workflowId, stranded);
    }
  }
  return strandedById;
}

/** Emits one note with the fix for each reason. */
export function noteStranded(
  app: Pick<App, 'note'>,
  runs: readonly { stranded: StrandedRun | null }[],
): void {
  const stranded = runs.flatMap((run) => run.stranded ?? []);
  for (const [reason, group] of groupBy(stranded, (run) => run.why)) {
    const [{ fix } = { fix: '' }] = group;
    app.note(`${formatCount(group.length, 'run')} stranded: ${reason}.\n${fix}`);
  }
}

function findStrandedByBuild(version: WorkerVersion, queue: Queue): StrandedRun | null {
  const pin = pinOfVersion(version, queue);
  if (pin.hasWorkers) return null;
  return {
    why: `build ${version.buildId} of deployment ${version.deployment} has no workers`,
    fix: `Start workers of that build again, or check that another build can continue the runs (renderline replay), then: ${moveCommands(pin)}`,
  };
}

function findStrandedByQueue(taskQueue: string, { pollers }: Queue): StrandedRun | null {
  if (pollers.unversioned > 0 || pollers.versions.size > 0) return null;
  return {
    why: `no worker on task queue "${taskQueue}"`,
    fix: 'Start a worker: renderline worker',
  };
}
