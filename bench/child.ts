// A child process of the benchmark, which is started, observed, and stopped by its pid.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export interface Child {
  pid: number;
  /** Resolves with the first match in the output. Rejects if the process exits first, or after the timeout. */
  waitForOutput(pattern: RegExp, withinMs?: number): Promise<RegExpExecArray>;
  /** Writes a line to the standard input of the process. */
  writeLine(line: string): void;
  /** Kills the process with SIGKILL. */
  kill(): Promise<void>;
  stop(): Promise<void>;
  /** @throws Error with the end of the output if the process has exited */
  mustRun(): void;
}

const startWithinMs = 60_000;
const stopWithinMs = 40_000;

const runningChildren = new Set<Child>();

/** Stops all running processes when a benchmark is interrupted. */
export async function stopChildren(): Promise<void> {
  await Promise.all([...runningChildren].map((child) => child.stop()));
}

/** Starts a compiled program of this repository. */
export function startChild(program: string, args: string[], env: Record<string, string>): Child {
  const path = fileURLToPath(new URL(`../${program}`, import.meta.url));
  const child = spawn(process.execPath, [path, ...args], {
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: process.env['HOME'] ?? '',
      NO_COLOR: '1',
      ...env,
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let output = '';
  const listeners = new Set<() => void>();
  const collect = (chunk: Buffer) => {
    // Only the end of the output is kept, because a worker may print a lot.
    output = (output + chunk.toString()).slice(-20_000);
    for (const listener of listeners) listener();
  };
  child.stdout.on('data', collect);
  child.stderr.on('data', collect);
  // Errors are ignored, because writing to a killed process fails and this is not a failure of the benchmark.
  child.stdin.on('error', () => undefined);
  const closeEvent = once(child, 'close');
  const isOver = () => child.exitCode !== null || child.signalCode !== null;
  const handle: Child = {
    pid: child.pid ?? -1,
    waitForOutput: (pattern, withinMs = startWithinMs) =>
      new Promise((resolve, reject) => {
        const fail = (reason: string) =>
          settle(() => reject(new Error(`${program} ${reason}:\n${output.slice(-4_000)}`)));
        const timer = setTimeout(() => fail(`did not print ${pattern} in time`), withinMs);
        const settle = (act: () => void) => {
          clearTimeout(timer);
          listeners.delete(check);
          act();
        };
        const check = () => {
          const match = pattern.exec(output);
          if (match) settle(() => resolve(match));
        };
        listeners.add(check);
        child.once('close', () => fail('exited too early'));
        check();
      }),
    writeLine: (line) => void child.stdin.write(`${line}\n`),
    async kill() {
      if (isOver()) return;
      child.kill('SIGKILL');
      await closeEvent;
    },
    async stop() {
      if (isOver()) return;
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), stopWithinMs);
      await closeEvent;
      clearTimeout(timer);
    },
    mustRun() {
      if (!isOver()) return;
      const exitStatus = child.signalCode ?? `exit code ${child.exitCode}`;
      throw new Error(`${program} ended by itself (${exitStatus}):\n${output.slice(-4_000)}`);
    },
  };
  runningChildren.add(handle);
  child.once('close', () => runningChildren.delete(handle));
  return handle;
}
