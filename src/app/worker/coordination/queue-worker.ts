// A worker for one additional activity task queue. It can start and stop polling while the process is running.
import type { Worker } from '@temporalio/worker';

export interface QueueOptions {
  /** Name of the queue, for error messages. */
  name: string;
  /** Time for running attempts after `end`, ms. If polling only pauses, running attempts have unlimited time. */
  stopTimeoutMs: number;
}

export class QueueWorker {
  readonly #options: QueueOptions;
  readonly #createWorker: () => Promise<Worker>;
  readonly #onIdle: () => void;
  #shouldPoll = true;
  #hasEnded = false;
  #worker: Worker | null = null;
  #wake: () => void = () => undefined;
  #endTimer: NodeJS.Timeout | undefined;
  #giveUp: (error: Error) => void = () => undefined;
  readonly #failIfOverdue = new Promise<never>((_, reject) => {
    this.#giveUp = reject;
  });

  /** @param createWorker creates a worker to run once @param onIdle called once attempts end after polling stopped */
  constructor(
    options: QueueOptions,
    createWorker: () => Promise<Worker>,
    onIdle: () => void = () => undefined,
  ) {
    this.#options = options;
    this.#failIfOverdue.catch(() => undefined);
    this.#createWorker = createWorker;
    this.#onIdle = onIdle;
  }

  /** Polls while polling is on, until `end`. @throws errors of workers; Error if attempts outlast `stopTimeoutMs` */
  async run(): Promise<void> {
    try {
      await Promise.race([this.#poll(), this.#failIfOverdue]);
    } finally {
      clearTimeout(this.#endTimer);
    }
  }

  async #poll(): Promise<void> {
    while (!this.#hasEnded) {
      if (this.#shouldPoll) {
        this.#worker = await this.#createWorker();
        const stopped = this.#worker.run();
        // The worker is run first, because the SDK requires that a worker has run before it is shut down.
        this.#stopIfUnwanted();
        await stopped;
        this.#onIdle();
      } else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
  }

  /** Starts or gracefully stops polling. After a stop, polling can start again once running attempts have finished. */
  setPolling(shouldPoll: boolean): void {
    this.#shouldPoll = shouldPoll;
    this.#stopIfUnwanted();
    this.#wake();
  }

  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    const { name, stopTimeoutMs } = this.#options;
    const message = `attempts of ${name} did not finish within ${stopTimeoutMs / 1_000} s`;
    this.#endTimer = setTimeout(() => this.#giveUp(new Error(message)), stopTimeoutMs);
    this.#stopIfUnwanted();
    this.#wake();
  }

  #stopIfUnwanted(): void {
    const shouldPoll = this.#shouldPoll && !this.#hasEnded;
    if (!shouldPoll && this.#worker?.getState() === 'RUNNING') this.#worker.shutdown();
  }
}
