// The worker processes of a measurement, with the resources that each of them used, including killed ones.
import { setTimeout } from 'node:timers/promises';
import type { Child } from './child.ts';
import type { ContenderEnvironment, ContenderRunner } from './contender.ts';
import { cpuMs, peakMemoryMib } from './process-times.ts';

export interface WorkerFigures {
  cpuMs: number;
  peakMib: number;
  killed: boolean;
}

/** Time within which several workers have elected their poll leader. */
const settledAfterMs = 15_000;

interface Worker {
  child: Child;
  cpuBeforeMs: number;
}

export class WorkerPool {
  readonly #runner: ContenderRunner;
  readonly #contenderEnvironment: Omit<ContenderEnvironment, 'workers'>;
  #workers: Worker[] = [];
  readonly #killed: WorkerFigures[] = [];

  constructor(
    runner: ContenderRunner,
    contenderEnvironment: Omit<ContenderEnvironment, 'workers'>,
  ) {
    this.#runner = runner;
    this.#contenderEnvironment = contenderEnvironment;
  }

  get contenderEnvironment(): ContenderEnvironment {
    return { ...this.#contenderEnvironment, workers: this.#workers.map(({ child }) => child) };
  }

  async start(count: number): Promise<void> {
    for (let started = 0; started < count; started += 1) await this.#startOne();
    if (count > 1) await setTimeout(settledAfterMs);
  }

  /** Starts counting the resources that the workers use. */
  begin(): void {
    for (const worker of this.#workers) worker.cpuBeforeMs = cpuMs(worker.child.pid);
  }

  /** Kills a worker with SIGKILL and starts another. @param share value in [0, 1) that determines the worker */
  async killOne(share: number): Promise<void> {
    const [worker] = this.#workers.splice(Math.floor(share * this.#workers.length), 1);
    if (!worker) return;
    this.#killed.push({ ...figuresOf(worker), killed: true });
    await worker.child.kill();
    const next = await this.#startOne();
    // The new worker's start-up time is included, because it is a cost of the kill.
    next.cpuBeforeMs = 0;
  }

  /** Returns the resources of all workers so far. Killed workers come first. */
  figures(): WorkerFigures[] {
    return [...this.#killed, ...this.#workers.map(figuresOf)];
  }

  async stop(): Promise<void> {
    await Promise.all(this.#workers.map(({ child }) => child.stop()));
  }

  async #startOne(): Promise<Worker> {
    const child = await this.#runner.startWorker(this.contenderEnvironment);
    const worker = { child, cpuBeforeMs: 0 };
    this.#workers.push(worker);
    return worker;
  }
}

function figuresOf({ child, cpuBeforeMs }: Worker): WorkerFigures {
  child.mustRun();
  return {
    cpuMs: cpuMs(child.pid) - cpuBeforeMs,
    peakMib: peakMemoryMib(child.pid),
    killed: false,
  };
}
