// The whole product as separate processes, as a person runs it: sandbox, workers and commands, connected only by
// environment variables. Everything that is started is stopped by its pid.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isGrpcDeadlineError } from '@temporalio/client';
import { afterAll } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
export const program = join(root, 'dist/program/cli/main.js');

export interface CommandResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** A command that was started. */
export interface RunningCommand {
  /** The output so far, stdout first. */
  output(): string;
  /** Resolves with all output when it contains the text; rejects after the timeout, or when the process exits. */
  waitForOutput(text: string | RegExp, withinMs?: number): Promise<string>;
  hasExited(): boolean;
  finished: Promise<CommandResult>;
}

export interface RunningProcess extends RunningCommand {
  process: ChildProcess;
  pid: number;
  stdout(): string;
  stop(signal?: NodeJS.Signals): Promise<CommandResult>;
}

export interface Stoppable {
  stop(signal?: NodeJS.Signals): Promise<unknown>;
}

const started = new Set<Stoppable>();
const folders: string[] = [];

/** Stops all processes that a test file has left running. */
export function useProcesses(): void {
  afterAll(async () => {
    await Promise.all([...started].map((running) => running.stop('SIGKILL')));
    started.clear();
    await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true })));
  });
}

export async function tempFolder(name: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `renderline-${name}-`));
  folders.push(folder);
  return folder;
}

/** Stops this when the test file ends. */
export function stopAtEnd(running: Stoppable): void {
  started.add(running);
}

export type Env = Record<string, string>;

/** Starts `renderline ARGS`. @param main entry of another build @param via a command that execs it */
export function start(
  args: string[],
  env: Env,
  cwd = root,
  main = program,
  via: string[] = [],
): RunningProcess {
  if (!existsSync(main)) throw new Error('dist is missing; npm run build makes it');
  const [command = '', ...words] = [...via, process.execPath, main, ...args];
  const child = spawn(command, words, {
    cwd,
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: process.env['HOME'] ?? '',
      NO_COLOR: '1',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  const listeners = new Set<() => void>();
  const buffered = () => {
    for (const listener of listeners) listener();
  };
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString();
    buffered();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
    buffered();
  });
  const finished = once(child, 'close').then(([code]) => {
    started.delete(running);
    buffered();
    return { code: code as number | null, stdout, stderr };
  });
  const running: RunningProcess = {
    process: child,
    pid: child.pid ?? -1,
    output: () => stdout + stderr,
    stdout: () => stdout,
    hasExited: () => child.exitCode !== null || child.signalCode !== null,
    waitForOutput: (text, withinMs = 300_000) =>
      new Promise((resolve, reject) => {
        const give = (settle: () => void) => {
          listeners.delete(check);
          clearTimeout(timer);
          settle();
        };
        const check = () => {
          const all = stdout + stderr;
          const found = typeof text === 'string' ? all.includes(text) : text.test(all);
          if (found) give(() => resolve(all));
          else if (running.hasExited()) {
            give(() => reject(new Error(`ended before it said ${String(text)}:\n${all}`)));
          }
        };
        const timer = setTimeout(
          () =>
            give(() =>
              reject(new Error(`did not say ${String(text)} in time:\n${stdout}${stderr}`)),
            ),
          withinMs,
        );
        listeners.add(check);
        check();
      }),
    async stop(signal = 'SIGTERM') {
      if (!running.hasExited()) child.kill(signal);
      return finished;
    },
    finished,
  };
  started.add(running);
  return running;
}

/** Runs `renderline ARGS` until it exits. */
export function run(args: string[], env: Env, cwd?: string): Promise<CommandResult> {
  return start(args, env, cwd).finished;
}

/** Starts a worker process; resolves when it polls. */
export async function startWorkerProcess(env: Env): Promise<RunningProcess> {
  const worker = start(['worker'], env);
  await worker.waitForOutput('Task queue');
  return worker;
}

/**
 * Resolves when `check` is true. Checks ten times a second, also if a busy server does not respond to one check, and
 * rejects after `withinMs`.
 */
export async function waitUntil(
  what: string,
  check: () => Promise<boolean> | boolean,
  withinMs = 300_000,
): Promise<void> {
  const lastMs = Date.now() + withinMs;
  const isDone = async () => {
    try {
      return await check();
    } catch (error) {
      if (isGrpcDeadlineError(error)) return false;
      throw error;
    }
  };
  while (!(await isDone())) {
    if (Date.now() > lastMs) throw new Error(`${what} did not happen within ${withinMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 90));
  }
}

/** Waits for the exit of a command. On a timeout the error contains the output of the command and its worker. */
export async function waitForExit(
  running: RunningCommand,
  worker: RunningCommand,
  withinMs = 300_000,
): Promise<CommandResult> {
  try {
    await waitUntil('its end', () => running.hasExited(), withinMs);
  } catch (error) {
    throw new Error(`${running.output()}\n${worker.output()}`, { cause: error });
  }
  return running.finished;
}

/** Like `waitUntil`, for the effect of a running command: rejects at once when the command exits first. */
export async function waitWhileRunning(
  running: RunningCommand,
  what: string,
  check: () => Promise<boolean>,
): Promise<void> {
  const hadEnded = running.hasExited();
  await waitUntil(what, async () => {
    if (running.hasExited() && !hadEnded) {
      throw new Error(`the command ended before: ${what}\n${running.output()}`);
    }
    return check();
  });
}
