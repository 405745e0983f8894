// Finds open workflows of a task queue whose workflow tasks fail, because the deployed code does not fit their history.
import type { Client } from '@temporalio/client';
import { workflowNames } from '../../plan/contract/contract.ts';
import { listWorkflows } from '../codec/tolerant-reader.ts';
import { findWorkflowStall, type WorkflowStall } from './workflow-stall.ts';

/** Number of open workflows checked per type, newest first. A bad deploy shows in the first few. */
const inspectedPerType = 12;
/** Maximum number of failing workflows that are reported individually. */
const maxReported = 3;

export interface FailingWorkflow extends WorkflowStall {
  workflowId: string;
}

export interface FailingWorkflows {
  failing: FailingWorkflow[];
  /** Number of failing workflows beyond those in `failing`. */
  more: number;
}

export async function findFailingWorkflows(
  client: Client,
  taskQueue: string,
): Promise<FailingWorkflows> {
  const inspections = Object.values(workflowNames).map(async (type) => {
    const ids = await newestOpen(client, type, taskQueue);
    return Promise.all(
      ids.map(async (workflowId) => {
        const stall = await findWorkflowStall(client, workflowId);
        return stall && { workflowId, ...stall };
      }),
    );
  });
  // Stranded workflows have no workers, so their tasks do not fail.
  const found = (await Promise.all(inspections)).flat();
  const failing = found.flatMap((one) => (one === null || one.isStranded ? [] : [one]));
  return {
    failing: failing.slice(0, maxReported),
    more: Math.max(0, failing.length - maxReported),
  };
}

async function newestOpen(client: Client, type: string, taskQueue: string): Promise<string[]> {
  const query = `WorkflowType = '${type}' AND ExecutionStatus = 'Running' AND TaskQueue = '${taskQueue}'`;
  const ids: string[] = [];
  for await (const { workflowId } of listWorkflows(client, { query, pageSize: inspectedPerType })) {
    ids.push(workflowId);
    if (ids.length === inspectedPerType) break;
  }
  return ids;
}
