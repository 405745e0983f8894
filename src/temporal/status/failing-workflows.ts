// Checks which open workflows of a task queue fail at every attempt of their task. A worker counts and logs such failures
// ever more rarely, as the server tries again ever more rarely, and one that was restarted does not log them at all.
import type { Client } from '@temporalio/client';
import { listPages } from '../list-executions.ts';
import { attemptsBorne, taskAttempts } from '../standstill.ts';

/** Workflows that are checked at a time beside those that failed the last time: all, in turns. */
const checkedAtOnce = 40;
const askedAtOnce = 10;

export class FailingWorkflowsReader {
  readonly #client: Client;
  readonly #query: string;
  readonly #failing = new Set<string>();
  /** Where the next turn begins, in the order of ids. */
  #after = '';

  constructor(client: Client, taskQueue: string) {
    this.#client = client;
    this.#query = `ExecutionStatus = 'Running' AND TaskQueue = '${taskQueue}'`;
  }

  /**
   * The number of those that failed the last time too: a task that was lost with its worker was also tried several times, and
   * goes through a moment later. @throws errors of gRPC
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

  /** Ids of the newest thousand, in order. */
  async #open(): Promise<string[]> {
    for await (const page of listPages(this.#client, this.#query)) {
      return page.map(({ execution }) => execution?.workflowId ?? '').sort();
    }
    return [];
  }
}
