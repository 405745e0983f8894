// Finds runs of a list that nobody goes on with, since they are pinned to a build without workers.
import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { count } from '../../plan/count.ts';
import { groupBy } from '../../plan/group-by.ts';
import { readQueue } from '../../temporal/deployments/queue-routing.ts';
import { moveCommands, pinAt } from '../../temporal/deployments/stranded.ts';
import { versionIn, type WorkerVersion } from '../../temporal/deployments/worker-version.ts';
import type { Output } from '../output.ts';

export interface Stranded extends WorkerVersion {
  fix: string;
}

type Listed = Pick<
  WorkflowExecutionInfo,
  'workflowId' | 'status' | 'taskQueue' | 'typedSearchAttributes'
>;

/** By id of the run. Each task queue is asked once; one that does not answer strands nobody. */
export async function strandedAmong(
  client: Client,
  listed: readonly Listed[],
): Promise<ReadonlyMap<string, Stranded>> {
  const queues = new Map<string, ReturnType<typeof readQueue>>();
  const found = new Map<string, Stranded>();
  for (const info of listed) {
    const version = pinnedTo(info);
    if (version === null) continue;
    const { taskQueue, workflowId } = info;
    const asked = queues.get(taskQueue) ?? readQueue(client, taskQueue);
    queues.set(taskQueue, asked);
    const pin = await asked.then(
      (queue) => pinAt(version, queue),
      () => null,
    );
    if (pin === null || pin.hasWorkers) continue;
    const fix = `Start workers of that build again, or see that another goes on with them (renderline replay), then: ${moveCommands(pin)}`;
    found.set(workflowId, { ...version, fix });
  }
  return found;
}

/** Temporal searches by both, so a list has them. */
function pinnedTo({ status, typedSearchAttributes }: Listed): WorkerVersion | null {
  if (status.name !== 'RUNNING') return null;
  const attributes = new Map(
    typedSearchAttributes.getAll().map(({ key, value }) => [key.name, value]),
  );
  const version = attributes.get('TemporalWorkerDeploymentVersion');
  // Runs are pinned, but for those that somebody has moved to whichever build is current.
  const isMoved = attributes.get('TemporalWorkflowVersioningBehavior') === 'AutoUpgrade';
  return !isMoved && typeof version === 'string' ? versionIn(version) : null;
}

/** In place of what a line of a list cannot show. */
export function strandedWords({ buildId }: WorkerVersion): string {
  return `stranded: build ${buildId} has no workers`;
}

/** Says once for each build how to go on. */
export function noteStranded(output: Pick<Output, 'note'>, stranded: readonly Stranded[]): void {
  for (const [fix, [first, ...more]] of groupBy(stranded, (one) => one.fix)) {
    if (first === undefined) continue;
    const { deployment, buildId } = first;
    const runs = count(1 + more.length, 'run');
    const which = `build ${buildId} of deployment ${deployment}, which has no workers`;
    output.note(`No worker goes on with ${runs} pinned to ${which}.\n${fix}`);
  }
}
