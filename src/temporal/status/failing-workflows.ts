// Counts the open workflows of a task queue whose workflow task fails at every attempt. The metrics of workers show such
// failures less and less often, because the server retries with growing delays.
import type { Client } from '@temporalio/client';
import { listPages } from '../list-executions.ts';
import { attemptsBorne, taskAttempts } from '../standstill.ts';

/** Number of workflows checked per read, in addition to those that failed before. Over several reads all are checked. */
const checkedAtOnce = 40;
const askedAtOnce = 10;

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
    const turn = [...later, ...open.filter((id) => id <= this.#after)].slice(0, checkedAtOnce);
    const checked = [...new Set([...known, ...turn])];
    const failing: string[] = [];
    for (let at = 0; at < checked.length; at += askedAtOnce) {
      const some = checked.slice(at, at + askedAtOnce);
      const attempts = await Promise.all(some.map((id) => taskAttempts(this.#client, id)));
      failing.push(...some.filter((_id, index) => (attempts[index] ?? 0) >= attemptsBorne));
    }
    const again = failing.filter((id) => this.#failing.has(id)).length;
    this.#failing.clear();
    for (const id of failing) this.#failing.add(id);
    this.#after = turn.at(-1) ?? '';
    return again;
  }

  /** Ids of the newest thousand open workflows, sorted. */
  async #open(): Promise<string[]> {
    for await (const page of listPages(this.#client, this.#query)) {
      return page.map(({ execution }) => execution?.workflowId ?? '').sort();
    }
    return [];
  }
}
