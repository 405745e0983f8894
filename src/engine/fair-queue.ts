// A queue of work waiting for a slot. Runs take turns, so that a run of thousands of files does not block others.
import type { Queue, QueueAddOptions } from 'p-queue';

type Task = () => Promise<unknown>;

export interface FairQueueOptions extends QueueAddOptions {
  /** Id of the run that the work belongs to. */
  run?: string;
}

/** A queue for p-queue. Higher priorities go first. Within a priority, runs take turns, each with its oldest work. */
export class FairQueue implements Queue<Task, FairQueueOptions> {
  /** Tasks by priority, then by run in the order of their turns, then by id. */
  readonly #tasksByPriority = new Map<number, Map<string, Map<string, Task>>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  enqueue(task: Task, { priority = 0, run = '', id = '' }: Partial<FairQueueOptions> = {}): void {
    const runs = this.#tasksByPriority.get(priority) ?? new Map<string, Map<string, Task>>();
    const tasks = runs.get(run) ?? new Map<string, Task>();
    this.#tasksByPriority.set(priority, runs.set(run, tasks.set(id, task)));
    this.#size += 1;
  }

  dequeue(): Task | undefined {
    const priority = Math.max(...this.#tasksByPriority.keys());
    const runs = this.#tasksByPriority.get(priority);
    const [turn] = runs ?? [];
    if (runs === undefined || turn === undefined) return undefined;
    const [run, tasks] = turn;
    const [next] = tasks;
    runs.delete(run);
    if (tasks.size > 1) runs.set(run, tasks);
    if (runs.size === 0) this.#tasksByPriority.delete(priority);
    if (next === undefined) return undefined;
    tasks.delete(next[0]);
    this.#size -= 1;
    return next[1];
  }

  remove(id: string): void {
    for (const [priority, runs] of this.#tasksByPriority) {
      for (const [run, tasks] of runs) {
        if (!tasks.delete(id)) continue;
        this.#size -= 1;
        if (tasks.size === 0) runs.delete(run);
        if (runs.size === 0) this.#tasksByPriority.delete(priority);
      }
    }
  }

  filter({ priority = 0 }: Readonly<Partial<FairQueueOptions>>): Task[] {
    const runs = this.#tasksByPriority.get(priority)?.values() ?? [];
    return [...runs].flatMap((tasks) => [...tasks.values()]);
  }

  setPriority(): never {
    throw new Error('what waits for a slot keeps its priority');
  }
}
