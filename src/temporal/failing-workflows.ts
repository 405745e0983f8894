// Finds open workflows of a task queue on whose tasks workers fail: the deployed code does not fit them.
import type { Client } from '@temporalio/client';
import { workflowNames } from '../plan/contract.ts';
import { listWorkflows } from './codec/tolerant-reader.ts';
import { type Standstill, standstillOf } from './standstill.ts';

/** Open workflows of each type that are looked at, newest first: a bad deploy shows at the first few. */
const lookedAt = 12;
/** Failing ones that are told one by one. */
const toldAtMost = 3;

export interface FailingWorkflow extends Standstill {
  workflowId: string;
}

export interface Failing {
  failing: FailingWorkflow[];
  /** Failing ones beyond those. */
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
  // What is stranded has no workers that could fail on it.
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
