// Finds open workflows of a task queue whose workflow tasks fail, because the deployed code does not fit their history.
import type { Client } from '@temporalio/client';
import { workflowNames } from '../plan/contract.ts';
import { listWorkflows } from './codec/tolerant-reader.ts';
import { type Standstill, standstillOf } from './standstill.ts';

/** Number of open workflows checked per type, newest first. A bad deploy shows in the first few. */
const lookedAt = 12;
/** Maximum number of failing workflows that are reported individually. */
const toldAtMost = 3;

export interface FailingWorkflow extends Standstill {
  workflowId: string;
}

export interface Failing {
  failing: FailingWorkflow[];
  /** Number of failing workflows beyond those in `failing`. */
  more: number;
}

export async function failingWorkflows(client: Client, taskQueue: string): Promise<Failing> {
  const looks = Object.values(workflowNames).map(async (type) => {
    const ids = await newestOpen(client, type, taskQueue);
    return Promise.all(
      ids.map(async (workflowId) => {
        const standstill = await standstillOf(client, workflowId);
        return standstill && { workflowId, ...standstill };
      }),
    );
  });
  // Stranded workflows have no workers, so their tasks do not fail.
  const found = (await Promise.all(looks)).flat();
  const failing = found.flatMap((one) => (one === null || one.isStranded ? [] : [one]));
  return {
    failing: failing.slice(0, toldAtMost),
    more: Math.max(0, failing.length - toldAtMost),
  };
}

async function newestOpen(client: Client, type: string, taskQueue: string): Promise<string[]> {
  const query = `WorkflowType = '${type}' AND ExecutionStatus = 'Running' AND TaskQueue = '${taskQueue}'`;
  const ids: string[] = [];
  for await (const { workflowId } of listWorkflows(client, { query, pageSize: lookedAt })) {
    ids.push(workflowId);
    if (ids.length === lookedAt) break;
  }
  return ids;
}
