// A worker process that kills itself when the test requires it, and is then restarted, as by a supervisor.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Fault } from '../../../compile/test-file/test-file.ts';
import { findPackageRoot } from '../../find-package-root.ts';
import type { TestWorkerConfig } from './test-worker.ts';
import type { AttemptPhase, ServerClock } from './time-skipping-worker.ts';

export type KillRule = Pick<Fault, 'after' | 'at' | 'nth'>;

/** Sent to the process when it starts. */
export interface KillableWorkerConfig extends TestWorkerConfig {
  address: string;
  killRules: readonly KillRule[];
}

/** A request from the worker process to the parent process, which controls the server's time. */
export type ClockRequest = { id: number; what: 'read' } | { id: number; what: 'sleep'; ms: number };
export type WorkerMessage = ClockRequest | { what: 'ready' } | { what: AttemptPhase };
export interface ClockResponse {
  id: number;
  nowMs: number;
}

/** The server times out an activity that has sent no heartbeats for this long. */
const activityTimeoutMs = 31_000;
const maxKills = 20;

export interface KillableWorker {
  /** Rejects if the process ends without having been killed by the test. */
  done: Promise<never>;
  stop(): Promise<void>;
}

/** Starts the worker process, and restarts it after each kill. Resolves once the first process is ready. */
export async function startKillableWorker(
  config: KillableWorkerConfig,
  clock: ServerClock,
): Promise<KillableWorker> {
  const pendingKills = [...config.killRules];
  let isStopping = false;
  let child: ChildProcess | null = null;
  let fail: (error: Error) => void = () => undefined;
  const done = new Promise<never>((_resolve, reject) => {
    fail = reject;
  });
  done.catch(() => undefined);
  let killCount = 0;
  const start = async (): Promise<void> => {
    const workerProcess = await runWorkerProcess({ ...config, killRules: pendingKills }, clock);
    child = workerProcess.child;
    void workerProcess.ended.then(async ({ signal, activeAttempts }) => {
      if (isStopping) return;
      killCount += 1;
      if (signal !== 'SIGKILL' || killCount > maxKills) {
        return fail(new Error('the worker process of the test ended unexpectedly'));
      }
      pendingKills.shift();
      // The server skips no time while an activity is running, so these sleeps last until the lost attempts time out.
      for (let count = 0; count < activeAttempts; count += 1)
        void clock.sleep(activityTimeoutMs).catch(() => undefined);
      await start().catch(fail);
    });
  };
  await start();
  return {
    done,
    async stop() {
      isStopping = true;
      // The process may already have ended. `kill` then returns false.
      const exit = child && once(child, 'exit');
      if (child?.kill('SIGKILL')) await exit;
    },
  };
}

async function runWorkerProcess(config: KillableWorkerConfig, clock: ServerClock) {
  const program = join(findPackageRoot(), 'dist/src/app/testing/workers/worker-process.js');
  const child = fork(program, [], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
  let activeAttempts = 0;
  const ended = new Promise<{ signal: string | null; activeAttempts: number }>((resolve) => {
    child.once('exit', (_code, signal) => resolve({ signal, activeAttempts }));
  });
  const readiness = new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    void ended.then(() => reject(new Error('the worker process of the test did not start')));
    child.on('message', (message: WorkerMessage) => {
      if (message.what === 'ready') resolve();
      else if ('id' in message) void respondToClockRequest(child, message, clock);
      else if (message.what === 'started') activeAttempts += 1;
      else if (message.what === 'finished') activeAttempts -= 1;
    });
  });
  child.send(config);
  await readiness;
  return { child, ended };
}

async function respondToClockRequest(
  child: ChildProcess,
  request: ClockRequest,
  clock: ServerClock,
): Promise<void> {
  try {
    if (request.what === 'read') await clock.read();
    else await clock.sleep(request.ms);
    const response: ClockResponse = { id: request.id, nowMs: clock.now() };
    if (child.connected) child.send(response, () => undefined);
  } catch {
    // The error is expected: the server has stopped because the test has ended.
  }
}
