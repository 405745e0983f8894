// A test worker on all task queues of a real worker: those of runs, polling and urgent work.
import { Worker, type WorkerOptions } from '@temporalio/worker';
import { pollQueue, urgentQueueOf } from '../../src/plan/run/queues.ts';

export class AllQueues {
  readonly #workers: readonly Worker[];

  private constructor(workers: readonly Worker[]) {
    this.#workers = workers;
  }

  static async create(options: WorkerOptions & { taskQueue: string }): Promise<AllQueues> {
    const { workflowBundle: _bundle, maxCachedWorkflows: _cached, ...beside } = options;
    const { taskQueue } = options;
    const others = [pollQueue(taskQueue), urgentQueueOf(taskQueue)];
    return new AllQueues([
      await Worker.create(options),
      ...(await Promise.all(others.map((queue) => Worker.create({ ...beside, taskQueue: queue })))),
    ]);
  }

  /** Runs until the workers are shut down. */
  async run(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.run()));
  }

  shutdown(): void {
    for (const worker of this.#workers) if (worker.getState() === 'RUNNING') worker.shutdown();
  }

  async runUntil<T>(work: () => Promise<T>): Promise<T> {
    const working = this.run();
    try {
      return await work();
    } finally {
      this.shutdown();
      await working;
    }
  }
}
