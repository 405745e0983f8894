// Takes activities from one more task queue, for as long as that is wanted.
import type { Worker } from '@temporalio/worker';

export class QueueWorker {
  readonly #make: () => Promise<Worker>;
  readonly #onIdle: () => void;
  #isWanted = true;
  #hasEnded = false;
  #worker: Worker | null = null;
  #wake: () => void = () => undefined;

  /**
   * @param make a worker for activities alone; it is run once
   * @param onIdle told when attempts under way have ended after a stop
   */
  constructor(make: () => Promise<Worker>, onIdle: () => void = () => undefined) {
    this.#make = make;
    this.#onIdle = onIdle;
  }

  /** Polls whenever it is wanted, until it is ended. @throws the error that broke the worker */
  async run(): Promise<void> {
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
    this.#hasEnded = true;
    this.#stopUnwanted();
    this.#wake();
  }

  #stopUnwanted(): void {
    const isWanted = this.#isWanted && !this.#hasEnded;
    if (!isWanted && this.#worker?.getState() === 'RUNNING') this.#worker.shutdown();
  }
}
