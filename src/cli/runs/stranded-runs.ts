// Finds runs of a list that nobody goes on with: the build that they are pinned to has no workers, or their task queue has none.
import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { count } from '../../plan/count.ts';
import { groupBy } from '../../plan/group-by.ts';
import { readQueue } from '../../temporal/deployments/queue-routing.ts';
import { moveCommands, pinAt } from '../../temporal/deployments/stranded.ts';
import { versionIn, type WorkerVersion } from '../../temporal/deployments/worker-version.ts';
import type { Output } from '../output.ts';

export interface Stranded {
  why: string;
  fix: string;
}

type Listed = Pick<
  WorkflowExecutionInfo,
  'workflowId' | 'status' | 'taskQueue' | 'typedSearchAttributes'
>;
type Queue = Awaited<ReturnType<typeof readQueue>>;

/** By id of the run. Each task queue is asked once; one that does not answer strands nobody. */
export async function strandedAmong(
  client: Client,
  listed: readonly Listed[],
): Promise<ReadonlyMap<string, Stranded>> {
  const found = new Map<string, Stranded>();
  const open = listed.filter(({ status }) => status.name === 'RUNNING');
  for (const [taskQueue, runs] of groupBy(open, (one) => one.taskQueue)) {
    const queue = await readQueue(client, taskQueue).catch(() => null);
    if (queue === null) continue;
    for (const run of runs) {
      const version = pinnedTo(run);
      const stranded = version ? ofBuild(version, queue) : ofQueue(taskQueue, queue);
      if (stranded !== null) found.set(run.workflowId, stranded);
    }
  }
  return found;
}

/** Says once for each reason how to go on. */
export function noteStranded(output: Pick<Output, 'note'>, stranded: Iterable<Stranded>): void {
  for (const [why, all] of groupBy(stranded, (one) => one.why)) {
    const [{ fix } = { fix: '' }] = all;
    output.note(`Nobody goes on with ${count(all.length, 'run')}: ${why}.\n${fix}`);
  }
}

/** Temporal searches by both, so a list has them. */
function pinnedTo({ typedSearchAttributes }: Listed): WorkerVersion | null {
  const attributes = new Map(
    typedSearchAttributes.getAll().map(({ key, value }) => [key.name, value]),
  );
  const version = attributes.get('TemporalWorkerDeploymentVersion');
  // Runs are pinned, but for those that somebody has moved to whichever build is current.
  const isMoved = attributes.get('TemporalWorkflowVersioningBehavior') === 'AutoUpgrade';
  return !isMoved && typeof version === 'string' ? versionIn(version) : null;
}

function ofBuild(version: WorkerVersion, queue: Queue): Stranded | null {
  const pin = pinAt(version, queue);
  if (pin.hasWorkers) return null;
  return {
    why: `build ${version.buildId} of deployment ${version.deployment} has no workers`,
    fix: `Start workers of that build again, or see that another goes on with them (renderline replay), then: ${moveCommands(pin)}`,
  };
}

function ofQueue(taskQueue: string, { pollers }: Queue): Stranded | null {
  if (pollers.unversioned > 0 || pollers.versions.size > 0) return null;
  return { why: `no worker at task queue "${taskQueue}"`, fix: 'Start one: renderline worker' };
}
