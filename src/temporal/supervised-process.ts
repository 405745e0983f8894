// A child process that never outlives this one, not even after kill -9, and that Ctrl-C does not reach.
import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { TextTail } from './text-tail.ts';

export interface ProcessEnd {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export interface SupervisedProcess {
  /** The pid of the program itself. */
  readonly pid: number;
  readonly exited: Promise<ProcessEnd>;
  /** The last 16 KiB it printed. */
  output(): string;
  /** Ends it and waits until it has ended: SIGTERM, then SIGKILL after `graceMs`. Safe to repeat. */
  stop(graceMs?: number): Promise<void>;
  /** Ends it and all that it started, without asking. */
  kill(): void;
}

export interface SupervisedOptions {
  env: NodeJS.ProcessEnv;
  cwd?: string | undefined;
  /** All that it prints is added to this file. */
  logFile?: string | undefined;
}

// A watcher reads the pipe that only our process holds: it ends when we do, however we end. The shell
// then becomes the program, so that its pid, signals and exit code are the program's own. What it writes is for
// this user alone: databases hold what runs know.
const SCRIPT = `
umask 077
exec 3<&0
{
  read -r _ <&3
  kill -TERM $$
  n=0
  while kill -0 $$ && [ $n -lt 10 ]; do sleep 1; n=$((n + 1)); done
  kill -KILL $$
} </dev/null >/dev/null 2>&1 &
exec "$@" </dev/null 3<&-
`;

const OUTPUT_LIMIT_BYTES = 16_384;
const GRACE_MS = 10_000;

/** Starts `file` in a process group of its own with exactly the environment `env`. POSIX only. */
export function startSupervised(
  file: string,
  args: readonly string[],
  { env, cwd, logFile }: SupervisedOptions,
): SupervisedProcess {
  const child = spawn('/bin/sh', ['-c', SCRIPT, 'sh', file, ...args], {
    env,
    ...(cwd ? { cwd } : {}),
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  });
  const tail = new TextTail(OUTPUT_LIMIT_BYTES);
  child.stdout.on('data', (chunk: Buffer) => tail.add(chunk));
  child.stderr.on('data', (chunk: Buffer) => tail.add(chunk));
  if (logFile) copyTo(logFile, child);
  // The watcher may be gone already; then there is nobody left to tell.
  child.stdin.on('error', () => undefined);

  const exited = new Promise<ProcessEnd>((resolve, reject) => {
    child.on('error', reject);
    // 'close' and not 'exit': the last lines explain the end.
    child.on('close', (code, signal) => resolve({ code, signal }));
    child.on('exit', () => child.stdin.destroy());
  });
  exited.catch(() => undefined);
  const { pid } = child;
  let stopped: Promise<void> | undefined;
  return {
    // Without a pid the start failed, and `exited` tells why.
    pid: pid ?? -1,
    exited,
    output: () => tail.text(),
    stop: (graceMs = GRACE_MS) => {
      stopped ??= stopChild(child, exited, graceMs);
      return stopped;
    },
    kill: () => killGroup(pid),
  };
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The group is gone already.
  }
}

async function stopChild(
  child: ChildProcess,
  exited: Promise<ProcessEnd>,
  graceMs: number,
): Promise<void> {
  const ended = exited.then(
    () => undefined,
    () => undefined,
  );
  child.kill('SIGTERM');
  const timer = new AbortController();
  const killLater = delay(graceMs, undefined, { signal: timer.signal }).then(
    () => child.kill('SIGKILL'),
    () => undefined,
  );
  await ended;
  timer.abort();
  await killLater;
}

function copyTo(logFile: string, child: ChildProcess): void {
  mkdirSync(dirname(logFile), { recursive: true, mode: 0o700 });
  const log = createWriteStream(logFile, { flags: 'a', mode: 0o600 });
  // A full disk must not end the server; its last lines are kept in memory as well.
  log.on('error', () => undefined);
  child.stdout?.pipe(log, { end: false });
  child.stderr?.pipe(log, { end: false });
  child.on('close', () => log.end());
}
