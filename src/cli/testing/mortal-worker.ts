// A worker in a separate process that kills itself as the test demands, and is replaced as a supervisor would replace it.
import { type ChildProcess, fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Fault } from '../../compile/test-file/test-file.ts';
import type { AttemptNews, ServerClock } from '../../temporal/skipping-worker.ts';
import type { WorkerPlace } from './test-worker.ts';

/** When the worker is killed, as declared in the test. */
export type Death = Pick<Fault, 'after' | 'at' | 'nth'>;

/** Sent to the process when it starts. */
export interface MortalPlace extends WorkerPlace {
  address: string;
  deaths: readonly Death[];
}

/** A request of the worker process to the parent process, which controls the server's time. */
export type Asked = { id: number; what: 'read' } | { id: number; what: 'sleep'; ms: number };
export type Said = Asked | { what: 'ready' } | { what: AttemptNews };
export interface Answered {
  id: number;
  nowMs: number;
}

/** The server times out an activity without heartbeats after this time. */
const silenceMs = 31_000;
const deathsAtMost = 20;

export interface MortalWorker {
  /** Rejects if the process ends without being killed by the test. */
  done: Promise<never>;
  stop(): Promise<void>;
}

/** Resolves once the first process is ready. */
export async function startMortalWorker(
  place: MortalPlace,
  clock: ServerClock,
): Promise<MortalWorker> {
  const left = [...place.deaths];
  let isStopping = false;
  let child: ChildProcess | null = null;
  let fail: (error: Error) => void = () => undefined;
  const done = new Promise<never>((_resolve, reject) => {
    fail = reject;
  });
  done.catch(() => undefined);
  let died = 0;
  const start = async (): Promise<void> => {
    const life = await live({ ...place, deaths: left }, clock);
    child = life.child;
    void life.ended.then(async ({ signal, underWay }) => {
      if (isStopping) return;
      died += 1;
      if (signal !== 'SIGKILL' || died > deathsAtMost) {
        return fail(new Error('the worker process of the test ended unexpectedly'));
      }
      left.shift();
      // Time cannot be skipped during an activity, so it must pass until the server times out the lost attempts.
      for (let count = 0; count < underWay; count += 1)
        void clock.sleep(silenceMs).catch(() => undefined);
      await start().catch(fail);
    });
  };
  await start();
  return {
    done,
    async stop() {
      isStopping = true;
      const running = child;
      if (running === null || running.exitCode !== null || running.signalCode !== null) return;
      const ended = new Promise((resolve) => running.once('exit', resolve));
      running.kill('SIGKILL');
      await ended;
    },
  };
}

async function live(place: MortalPlace, clock: ServerClock) {
  const child = fork(programFile(), [], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
  let underWay = 0;
  const ended = new Promise<{ signal: string | null; underWay: number }>((resolve) => {
    child.once('exit', (_code, signal) => resolve({ signal, underWay }));
  });
  const ready = new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    void ended.then(() => reject(new Error('the worker process of the test did not start')));
    child.on('message', (said: Said) => {
      if (said.what === 'ready') resolve();
      else if ('id' in said) void answer(child, said, clock);
      else if (said.what === 'begun') underWay += 1;
      else if (said.what === 'ended') underWay -= 1;
    });
  });
  child.send(place);
  await ready;
  return { child, ended };
}

async function answer(child: ChildProcess, asked: Asked, clock: ServerClock): Promise<void> {
  try {
    if (asked.what === 'read') await clock.read();
    else await clock.sleep(asked.ms);
    const answered: Answered = { id: asked.id, nowMs: clock.now() };
    if (child.connected) child.send(answered, () => undefined);
  } catch {
    // The server has stopped, because the test has ended.
  }
}

/** Path of the compiled program, also if this process runs from the sources. */
function programFile(): string {
  const beside = fileURLToPath(new URL('./worker-process.js', import.meta.url));
  if (existsSync(beside)) return beside;
  return fileURLToPath(new URL('../../../dist/src/cli/testing/worker-process.js', import.meta.url));
}
