// Tools run in a copy of the tree, each in a process of its own that can be ended whatever it does.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

/** How a program has ended. */
export interface Ended {
  passed: boolean;
  tookMs: number;
  /** All that was printed. */
  said: string;
}

export interface Limits {
  timeoutMs: number;
  signal: AbortSignal;
}

/** Runs these test files until one test fails. */
export function runTests(folder: string, tests: readonly string[], limits: Limits): Promise<Ended> {
  // What is slow for a busy machine is no sign of a change.
  const patience = ['--testTimeout', '120000', '--hookTimeout', '120000'];
  const flags = ['--bail', '1', '--experimental.fsModuleCache', '--reporter', 'dot', ...patience];
  return runTool(folder, ['vitest', 'vitest.mjs'], ['run', ...flags, ...tests], limits);
}

/** Does the compiler take it? What is only unused or never reached is let pass: each second change leaves such. */
export function checkTypes(folder: string, limits: Limits): Promise<Ended> {
  const unused = ['--noUnusedLocals', 'false', '--noUnusedParameters', 'false'];
  const lenient = [...unused, '--allowUnreachableCode', 'true'];
  return runTool(
    folder,
    ['typescript', 'bin', 'tsc'],
    ['-p', 'tsconfig.program.json', '--noEmit', ...lenient],
    limits,
  );
}

async function runTool(
  folder: string,
  program: string[],
  args: string[],
  { timeoutMs, signal }: Limits,
): Promise<Ended> {
  signal.throwIfAborted();
  const startedMs = performance.now();
  const path = join('node_modules', ...program);
  // A group of its own, so that what it starts ends with it.
  const run = spawn(process.execPath, [path, ...args], {
    cwd: folder,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NO_COLOR: '1' },
  });
  const end = () => {
    if (run.pid !== undefined && run.exitCode === null) process.kill(-run.pid, 'SIGKILL');
  };
  const timer = setTimeout(end, timeoutMs);
  signal.addEventListener('abort', end);
  const said = Promise.all([text(run.stdout), text(run.stderr)]);
  const [code] = (await once(run, 'exit')) as [number | null];
  clearTimeout(timer);
  signal.removeEventListener('abort', end);
  signal.throwIfAborted();
  const tookMs = performance.now() - startedMs;
  return { passed: code === 0, tookMs, said: (await said).join('\n') };
}

/** The first test that failed. */
export function failureIn({ said }: Ended): string {
  return /^ FAIL +(.*)$/m.exec(said)?.[1] ?? 'no single test: what was run did not come to its end';
}
