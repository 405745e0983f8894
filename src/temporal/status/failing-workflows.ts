// Finds open workflows of a task queue whose workflow task fails at every attempt, because the deployed code does not
// match their history: the newest ones with their reasons, for a person, and their number, for metrics.
import type { Client } from '@temporalio/client';
import { workflowNames } from '../../plan/contract/contract.ts';
import { chunks } from '../../plan/helpers/chunks.ts';
import { listWorkflows } from '../codec/tolerant-reader.ts';
import { openAtQueue } from '../runs/open-workflows.ts';
import {
  countTaskAttempts,
  findWorkflowStall,
  toleratedAttempts,
  type WorkflowStall,
} from '../runs/workflow-stall.ts';

/** Number of open workflows checked per type, newest first. A bad deployment is visible in the first few. */
const maxInspectedPerType = 12;
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
    const ids = await listNewest(client, openAtQueue(type, taskQueue), maxInspectedPerType);
    return Promise.all(
      ids.map(async (workflowId) => {
        const stall = await findWorkflowStall(client, workflowId);
        return stall && { workflowId, ...stall };
      }),
    );
  });
  // Stranded workflows have no workers, so their tasks do not fail.
  const stalls = (await Promise.all(inspections)).flat();
  const failing = stalls.flatMap((stall) => (stall === null || stall.isStranded ? [] : [stall]));
  return {
    failing: failing.slice(0, maxReported),
    more: Math.max(0, failing.length - maxReported),
  };
}

async function listNewest(client: Client, query: string, max: number): Promise<string[]> {
  const ids: string[] = [];
  for await (const { workflowId } of listWorkflows(client, { query, pageSize: max })) {
    ids.push(workflowId);
    if (ids.length === max) break;
  }
  return ids;
}

/**
 * Number of workflows checked per read, in addition to those that failed before. Over several reads all are checked.
 */
const maxCheckedPerRound = 40;
/** Number of open workflows among which they are chosen, newest first. */
const maxListed = 1_000;
const maxConcurrentRequests = 10;

/**
 * Counts the failing workflows. The metrics of workers show a failure less and less often, because the server retries
 * with growing delays.
 */
export class FailingWorkflowsCounter {
  readonly #client: Client;
  readonly #query: string;
  readonly #failing = new Set<string>();
  /** The last id of the previous read. The next read continues after it. */
  #lastCheckedId = '';

  constructor(client: Client, taskQueue: string) {
    this.#client = client;
    this.#query = `ExecutionStatus = 'Running' AND TaskQueue = '${taskQueue}'`;
  }

  /**
   * Returns the number of workflows that fail now and failed at the previous read. A task that was lost with its worker
   * also has several attempts, but succeeds a moment later. @throws gRPC errors
   */
  async count(): Promise<number> {
    const openIds = (await listNewest(this.#client, this.#query, maxListed)).sort();
    const isOpen = new Set(openIds);
    const previousIds = [...this.#failing].filter((id) => isOpen.has(id));
    const laterIds = openIds.filter((id) => id > this.#lastCheckedId);
    const round = [...laterIds, ...openIds.filter((id) => id <= this.#lastCheckedId)].slice(
      0,
      maxCheckedPerRound,
    );
    const checkedIds = [...new Set([...previousIds, ...round])];
    const failing: string[] = [];
    for (const idChunk of chunks(checkedIds, maxConcurrentRequests)) {
      const attempts = await Promise.all(idChunk.map((id) => countTaskAttempts(this.#client, id)));
      failing.push(...idChunk.filter((_id, index) => (attempts[index] ?? 0) >= toleratedAttempts));
    }
    const stillFailing = failing.filter((id) => this.#failing.has(id)).length;
    this.#failing.clear();
    for (const id of failing) this.#failing.add(id);
    this.#lastCheckedId = round.at(-1) ?? '';
    return stillFailing;
  }
}
