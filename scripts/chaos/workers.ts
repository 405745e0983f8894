// The workers of a round: killed, frozen, and started again.
import { join } from 'node:path';
import type { SupervisedProcess } from '../../src/temporal/supervised-process.ts';
import { type Env, startProgram, untilSaid } from './program.ts';

export interface Workers {
  /** Kills one, and starts another in its place. */
  replace(index: number): Promise<void>;
  freeze(index: number): Promise<void>;
  thaw(index: number): Promise<void>;
  /** Lets the frozen ones go on, and ends all of them as a deployment does. */
  stop(): Promise<void>;
}

/** Settles when the first of them polls; the others come after it. */
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
  // One after the other: together they would all be late.
  const workers: Promise<SupervisedProcess>[] = [];
  for (let index = 0; index < count; index += 1) {
    workers.push((workers[index - 1] ?? Promise.resolve()).then(begin));
  }
  for (const worker of workers) worker.catch(() => undefined);
  await workers[0];
  const send = async (worker: Promise<SupervisedProcess> | undefined, name: NodeJS.Signals) => {
    try {
      const { pid = null } = (await worker) ?? {};
      if (pid !== null) process.kill(pid, name);
    } catch {
      // It has ended already, or never began.
    }
  };
  return {
    async replace(index) {
      await send(workers[index], 'SIGKILL');
      workers[index] = begin();
      await workers[index];
    },
    freeze: (index) => send(workers[index], 'SIGSTOP'),
    thaw: (index) => send(workers[index], 'SIGCONT'),
    async stop() {
      for (const worker of workers) await send(worker, 'SIGCONT');
      const started = await Promise.allSettled(workers);
      await Promise.all(
        started.map((one) => (one.status === 'fulfilled' ? one.value.stop() : undefined)),
      );
    },
  };
}
