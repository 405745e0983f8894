// The workers of a round: killed, frozen, and started again.
import { join } from 'node:path';
import type { SupervisedProcess } from '../../src/temporal/supervised-process.ts';
import { type Env, startProgram, untilSaid } from './program.ts';

export interface Workers {
  /** Kills one, and starts another in its place. */
  replace(index: number): Promise<void>;
  freeze(index: number): void;
  thaw(index: number): void;
  /** Lets the frozen ones go on, and ends all of them as a deployment does. */
  stop(): Promise<void>;
}

/** Settles when all of them poll. */
export async function startWorkers(
  count: number,
  { env, folder, signal }: { env: Env; folder: string; signal: AbortSignal },
): Promise<Workers> {
  let started = 0;
  const begin = async (): Promise<SupervisedProcess> => {
    for (;;) {
      started += 1;
      const worker = startProgram(['worker'], env, join(folder, `worker-${started}.log`));
      try {
        await untilSaid(worker, /Task queue/, signal);
        return worker;
      } catch (error) {
        await worker.stop();
        // In bad weather a start may fail; whoever looks after workers starts another one.
        signal.throwIfAborted();
        if (!(error instanceof Error)) throw error;
      }
    }
  };
  const workers = await Promise.all(Array.from({ length: count }, begin));
  const send = (worker: SupervisedProcess | undefined, name: NodeJS.Signals) => {
    try {
      if (worker) process.kill(worker.pid, name);
    } catch {
      // It has ended already.
    }
  };
  return {
    async replace(index) {
      send(workers[index], 'SIGKILL');
      workers[index] = await begin();
    },
    freeze: (index) => send(workers[index], 'SIGSTOP'),
    thaw: (index) => send(workers[index], 'SIGCONT'),
    async stop() {
      for (const worker of workers) send(worker, 'SIGCONT');
      await Promise.all(workers.map((worker) => worker.stop()));
    },
  };
}
