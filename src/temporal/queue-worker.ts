// A worker for one additional activity task queue, which can start and stop polling while the process runs.
import type { Worker } from '@temporalio/worker';

export interface QueueOptions {
  /** For messages. */
  name: string;
  /** Time for running attempts after `end`, ms. When polling only pauses, running attempts get unlimited time. */
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
   * @param make creates an activity worker without a forced shutdown time; each worker is run once
   * @param onIdle called when the running attempts have finished after polling stopped
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

  /** Polls while polling is on, until `end`. @throws the error of a failed worker; Error if attempts outlast `endsWithinMs` */
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
        // The SDK requires that a created worker is run before it is shut down.
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

  /** Starts or gracefully stops polling. After a stop, polling starts again only when the running attempts have finished. */
  set(wanted: boolean): void {
    this.#isWanted = wanted;
    this.#stopUnwanted();
    this.#wake();
  }

  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    const { name, endsWithinMs } = this.#options;
    const late = `attempts of ${name} did not finish within ${endsWithinMs / 1_000} s`;
    this.#endTimer = setTimeout(() => this.#giveUp(new Error(late)), endsWithinMs);
    this.#stopUnwanted();
    this.#wake();
  }

  #stopUnwanted(): void {
    const isWanted = this.#isWanted && !this.#hasEnded;
    if (!isWanted && this.#worker?.getState() === 'RUNNING') this.#worker.shutdown();
  }
}
