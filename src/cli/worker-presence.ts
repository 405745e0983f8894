// Finds workers: for each task queue Temporal keeps who asked for work and when.
import type { Client } from '@temporalio/client';

// Values of temporal.api.enums.v1.TaskQueueType; importing the generated enum would load the whole protocol.
const workflowTasks = 1;

/** A worker asks again within about a minute; the server remembers pollers for five. */
const freshMs = 75_000;

export interface WorkerPresence {
  workers: number;
  /** Names that the workers set. */
  identities: string[];
}

/** Workers that recently asked this task queue for workflow tasks. */
export async function findWorkers(
  client: Client,
  taskQueue: string,
  nowMs: number,
): Promise<WorkerPresence> {
  const answer = await client.withDeadline(Date.now() + 5_000, () =>
    client.workflowService.describeTaskQueue({
      namespace: client.options.namespace,
      taskQueue: { name: taskQueue },
      taskQueueType: workflowTasks,
    }),
  );
  const fresh = (answer.pollers ?? []).filter(
    ({ lastAccessTime }) => nowMs - Number(lastAccessTime?.seconds ?? 0) * 1000 < freshMs,
  );
  const identities = [...new Set(fresh.map(({ identity }) => identity ?? '?'))];
  return { workers: identities.length, identities };
}
