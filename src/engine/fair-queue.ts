// A queue of work that waits for a slot. Runs take turns, so that a run of thousands of files does not block others.
import type { Queue, QueueAddOptions } from 'p-queue';

type Work = () => Promise<unknown>;

export interface FairQueueOptions extends QueueAddOptions {
  /** Id of the run that the work belongs to. */
  run?: string;
}

/** A queue for p-queue. Higher priorities go first; within a priority, runs take turns, each with its oldest work. */
export class FairQueue implements Queue<Work, FairQueueOptions> {
  /** Work by priority, then by run in the order of their turns, then by id. */
  readonly #waiting = new Map<number, Map<string, Map<string, Work>>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  enqueue(work: Work, { priority = 0, run = '', id = '' }: Partial<FairQueueOptions> = {}): void {
    const runs = this.#waiting.get(priority) ?? new Map<string, Map<string, Work>>();
    const works = runs.get(run) ?? new Map<string, Work>();
    this.#waiting.set(priority, runs.set(run, works.set(id, work)));
    this.#size += 1;
  }

  dequeue(): Work | undefined {
    const priority = Math.max(...this.#waiting.keys());
    const runs = this.#waiting.get(priority);
    const [turn] = runs ?? [];
    if (runs === undefined || turn === undefined) return undefined;
    const [run, works] = turn;
    const [next] = works;
    runs.delete(run);
    if (works.size > 1) runs.set(run, works);
    if (runs.size === 0) this.#waiting.delete(priority);
    if (next === undefined) return undefined;
    works.delete(next[0]);
    this.#size -= 1;
    return next[1];
  }

  remove(id: string): void {
    for (const [priority, runs] of this.#waiting) {
      for (const [run, works] of runs) {
        if (!works.delete(id)) continue;
        this.#size -= 1;
        if (works.size === 0) runs.delete(run);
        if (runs.size === 0) this.#waiting.delete(priority);
      }
    }
  }

  filter({ priority = 0 }: Readonly<Partial<FairQueueOptions>>): Work[] {
    const runs = this.#waiting.get(priority)?.values() ?? [];
    return [...runs].flatMap((works) => [...works.values()]);
  }

  setPriority(): never {
    throw new Error('what waits for a slot keeps its priority');
  }
}
