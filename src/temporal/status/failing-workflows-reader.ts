// Counts the open workflows of a task queue whose workflow task fails at every attempt. The metrics of workers show such
// failures less and less often, because the server retries with growing delays.
import type { Client } from '@temporalio/client';
import { listExecutionPages } from '../runs/list-executions.ts';
import { taskAttempts, toleratedAttempts } from '../runs/workflow-stall.ts';

/** Number of workflows checked per read, in addition to those that failed before. Over several reads all are checked. */
const checkedPerRound = 40;
const concurrentRequests = 10;

export class FailingWorkflowsReader {
  readonly #client: Client;
  readonly #query: string;
  readonly #failing = new Set<string>();
  /** The last id of the previous read; the next read continues after it. */
  #after = '';

  constructor(client: Client, taskQueue: string) {
    this.#client = client;
    this.#query = `ExecutionStatus = 'Running' AND TaskQueue = '${taskQueue}'`;
  }

  /**
   * Number of workflows that fail now and failed at the previous read. A task that was lost with its worker also has several
   * attempts, but succeeds a moment later. @throws gRPC errors
   */
  async read(): Promise<number> {
    const open = await this.#open();
    const isOpen = new Set(open);
    const known = [...this.#failing].filter((id) => isOpen.has(id));
    const later = open.filter((id) => id > this.#after);
    const round = [...later, ...open.filter((id) => id <= this.#after)].slice(0, checkedPerRound);
    const checked = [...new Set([...known, ...round])];
    const failing: string[] = [];
    for (let start = 0; start < checked.length; start += concurrentRequests) {
      const some = checked.slice(start, start + concurrentRequests);
      const attempts = await Promise.all(some.map((id) => taskAttempts(this.#client, id)));
      failing.push(...some.filter((_id, index) => (attempts[index] ?? 0) >= toleratedAttempts));
    }
    const stillFailing = failing.filter((id) => this.#failing.has(id)).length;
    this.#failing.clear();
    for (const id of failing) this.#failing.add(id);
    this.#after = round.at(-1) ?? '';
    return stillFailing;
  }

  /** Ids of the newest thousand open workflows, sorted. */
  async #open(): Promise<string[]> {
    for await (const page of listExecutionPages(this.#client, this.#query)) {
      return page.map(({ execution }) => execution?.workflowId ?? '').sort();
    }
    return [];
  }
}
