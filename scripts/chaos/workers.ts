// The workers of a round: killed, frozen, and started again.
import { join } from 'node:path';
import type { SupervisedProcess } from '../../src/temporal/supervised-process.ts';
import { type Env, startProgram, untilSaid } from './program.ts';

export interface Workers {
  /** Settles when one of them polls. */
  readonly first: Promise<unknown>;
  /** Kills one, and starts another in its place. */
  replace(index: number): Promise<void>;
  freeze(index: number): Promise<void>;
  thaw(index: number): Promise<void>;
  /** Lets the frozen ones go on, and ends all of them as a deployment does. */
  stop(): Promise<void>;
}

/** Starts them one after the other: together they would all be late. */
export function startWorkers(
  count: number,
  { env, folder, signal }: { env: Env; folder: string; signal: AbortSignal },
): Workers {
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
  const workers: Promise<SupervisedProcess>[] = [];
  for (let index = 0; index < count; index += 1) {
    workers.push((workers[index - 1] ?? Promise.resolve()).then(begin));
  }
  for (const worker of workers) worker.catch(() => undefined);
  const [first] = workers;
  const send = async (worker: Promise<SupervisedProcess> | undefined, name: NodeJS.Signals) => {
    try {
      const { pid = null } = (await worker) ?? {};
      if (pid !== null) process.kill(pid, name);
    } catch {
      // It has ended already, or never began.
    }
  };
  return {
    first: Promise.resolve(first),
    async replace(index) {
      // In its place at once: whoever kills this one meanwhile kills the new one.
      const next = send(workers[index], 'SIGKILL').then(begin);
      next.catch(() => undefined);
      workers[index] = next;
      await next;
    },
    freeze: (index) => send(workers[index], 'SIGSTOP'),
    thaw: (index) => send(workers[index], 'SIGCONT'),
    async stop() {
      for (const worker of workers) await send(worker, 'SIGCONT');
      const all = workers.map(async (worker) => {
        // One that never began has nothing to end.
        await (await worker.catch(() => null))?.stop();
      });
      await Promise.all(all);
    },
  };
}
