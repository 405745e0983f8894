// Runs tools in a copy of the tree, in processes that can always be killed.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

/** How a process ended. */
export interface ToolResult {
  passed: boolean;
  tookMs: number;
  output: string;
}

export interface Limits {
  timeoutMs: number;
  signal: AbortSignal;
}

/** Runs these test files until the first failure. */
export function runTests(
  folder: string,
  tests: readonly string[],
  limits: Limits,
): Promise<ToolResult> {
  // Timeouts are long, because slowness on a busy machine does not indicate a change.
  const patience = ['--testTimeout', '120000', '--hookTimeout', '120000'];
  const flags = ['--bail', '1', '--experimental.fsModuleCache', '--reporter', 'dot', ...patience];
  return runTool(folder, ['vitest', 'vitest.mjs'], ['run', ...flags, ...tests], limits);
}

/** Runs the compiler. Unused and unreachable code is allowed, because many mutants cause it. */
export function checkTypes(folder: string, limits: Limits): Promise<ToolResult> {
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
): Promise<ToolResult> {
  signal.throwIfAborted();
  const startedMs = performance.now();
  const path = join('node_modules', ...program);
  // The process starts a process group, so that all of its child processes are killed with it.
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
  return { passed: code === 0, tookMs, output: (await said).join('\n') };
}

/** Returns the first test that failed, or text that says that none failed. */
export function failureIn({ output: said }: ToolResult): string {
  return /^ FAIL +(.*)$/m.exec(said)?.[1] ?? 'no single test: the run was killed or crashed';
}
