// Takes activities from one more task queue, for as long as that is wanted.
import type { Worker } from '@temporalio/worker';

export interface QueueOptions {
  /** For people. */
  name: string;
  /** After its end attempts under way get so long. While it is only not wanted they get all the time that they take. */
  endsWithinMs: number;
}

export class QueueWorker {
  readonly #options: QueueOptions;
  readonly #make: () => Promise<Worker>;
  readonly #onIdle: () => void;
  #isWanted = true;
  #hasEnded = false;
  #worker: Worker | null = null;
  #wake: () => void = () => undefined;
  #endTimer: NodeJS.Timeout | undefined;
  #giveUp: (error: Error) => void = () => undefined;
  readonly #overdue = new Promise<never>((_, reject) => {
    this.#giveUp = reject;
  });

  /**
   * @param make a worker for activities alone, without a time by which it has to stop; it is run once
   * @param onIdle told when attempts under way have ended after a stop
   */
  constructor(
    options: QueueOptions,
    make: () => Promise<Worker>,
    onIdle: () => void = () => undefined,
  ) {
    this.#options = options;
    this.#overdue.catch(() => undefined);
    this.#make = make;
    this.#onIdle = onIdle;
  }

  /** Polls whenever it is wanted, until it is ended. @throws the error that broke the worker; attempts that outlast their time */
  async run(): Promise<void> {
    try {
      await Promise.race([this.#poll(), this.#overdue]);
    } finally {
      clearTimeout(this.#endTimer);
    }
  }

  async #poll(): Promise<void> {
    while (!this.#hasEnded) {
      if (this.#isWanted) {
        this.#worker = await this.#make();
        const stopped = this.#worker.run();
        // A worker that was made has to be run before it can be given up.
        this.#stopUnwanted();
        await stopped;
        this.#onIdle();
      } else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
  }

  /** Begins to poll, or stops gracefully: attempts under way get their grace time, and only after them it begins again. */
  set(wanted: boolean): void {
    this.#isWanted = wanted;
    this.#stopUnwanted();
    this.#wake();
  }

  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    const { name, endsWithinMs } = this.#options;
    const late = `attempts of ${name} have not ended within ${endsWithinMs / 1_000} s`;
    this.#endTimer = setTimeout(() => this.#giveUp(new Error(late)), endsWithinMs);
    this.#stopUnwanted();
    this.#wake();
  }

  #stopUnwanted(): void {
    const isWanted = this.#isWanted && !this.#hasEnded;
    if (!isWanted && this.#worker?.getState() === 'RUNNING') this.#worker.shutdown();
  }
}
