// The worker processes of a round, which are killed, frozen and replaced.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { SupervisedProcess } from '../../src/temporal/server/supervised-process.ts';
import { type Env, startProgram, waitForOutput } from './program.ts';

const run = promisify(execFile);

export interface Workers {
  /** Resolves when the first worker polls. */
  readonly first: Promise<unknown>;
  /** Kills a worker and starts another one in its place. */
  replace(index: number): Promise<void>;
  freeze(index: number): Promise<void>;
  thaw(index: number): Promise<void>;
  /** Sets a limit of a worker's process. @returns the previous limit, or null if it could not be set */
  limit(index: number, resource: 'nofile' | 'fsize', value: string): Promise<string | null>;
  /** Resumes the frozen workers, then stops all workers with SIGTERM, as a deployment does. */
  stop(): Promise<void>;
}

/** Starts the workers one by one. In parallel, they would compete for the CPU and all be late. */
export function startWorkers(
  count: number,
  { env, folder, signal }: { env: Env; folder: string; signal: AbortSignal },
): Workers {
  let workerNumber = 0;
  const startWorker = async (): Promise<SupervisedProcess> => {
    for (;;) {
      workerNumber += 1;
      const worker = startProgram(['worker'], env, join(folder, `worker-${workerNumber}.log`));
      try {
        await waitForOutput(worker, /Task queue/, signal);
        return worker;
      } catch (error) {
        await worker.stop();
        // A start may fail while faults are injected. In that case, another worker is started.
        signal.throwIfAborted();
        if (!(error instanceof Error)) throw error;
      }
    }
  };
  const workers: Promise<SupervisedProcess>[] = [];
  for (let index = 0; index < count; index += 1) {
    workers.push((workers[index - 1] ?? Promise.resolve()).then(startWorker));
  }
  for (const worker of workers) worker.catch(() => undefined);
  const [first] = workers;
  const send = async (worker: Promise<SupervisedProcess> | undefined, name: NodeJS.Signals) => {
    try {
      const { pid = null } = (await worker) ?? {};
      if (pid !== null) process.kill(pid, name);
    } catch {
      // The worker has already exited or was never started.
    }
  };
  return {
    first: Promise.resolve(first),
    async replace(index) {
      // The promise is stored immediately, because another kill in the meantime must hit the new worker.
      const next = send(workers[index], 'SIGKILL').then(startWorker);
      next.catch(() => undefined);
      workers[index] = next;
      await next;
    },
    freeze: (index) => send(workers[index], 'SIGSTOP'),
    thaw: (index) => send(workers[index], 'SIGCONT'),
    async limit(index, resource, value) {
      const { pid } = (await workers[index]?.catch(() => null)) ?? {};
      if (pid === undefined) return null;
      const prlimit = (...args: string[]) => run('prlimit', ['--pid', String(pid), ...args]);
      try {
        const { stdout } = await prlimit(`--${resource}`, '--output', 'SOFT', '--noheadings');
        await prlimit(`--${resource}=${value}:`);
        return stdout.trim();
      } catch {
        // The worker has exited, or this machine has no `prlimit`.
        return null;
      }
    },
    async stop() {
      for (const worker of workers) await send(worker, 'SIGCONT');
      const stops = workers.map(async (worker) => {
        // If a worker failed to start, there is nothing to stop.
        await (await worker.catch(() => null))?.stop();
      });
      await Promise.all(stops);
    },
  };
}
