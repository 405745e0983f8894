// Starts a child process that is stopped when this process ends, even after kill -9, and that does not receive Ctrl-C.
import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { endOfText } from './end-of-text.ts';

export interface ProcessEnd {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export interface SupervisedProcess {
  /** Process id of the program itself. */
  readonly pid: number;
  readonly exited: Promise<ProcessEnd>;
  /** Returns the last 16,384 characters of the program's output. */
  output(): string;
  /** Stops the process and waits for its exit: SIGTERM, then SIGKILL after `graceMs`. Safe to repeat. */
  stop(graceMs?: number): Promise<void>;
  /** Kills the process and its child processes at once. */
  kill(): void;
}

export interface SupervisedOptions {
  env: NodeJS.ProcessEnv;
  cwd?: string | undefined;
  /** The output is appended to this file. */
  logFile?: string | undefined;
}

// A watcher reads a pipe that only our process holds open, so the pipe closes however our process ends. The shell then
// becomes the program (exec), so that pid, signals and exit code are those of the program. When the pipe closes, the
// watcher kills the process group: itself, and what the program started. Files that the program creates are private to
// this user, because databases contain the data of runs.
const supervisorScript = `
umask 077
exec 3<&0
{
  read -r _ <&3
  kill -TERM $$
  n=0
  while kill -0 $$ && [ $n -lt 10 ]; do sleep 1; n=$((n + 1)); done
  kill -s KILL -- -$$
} </dev/null >/dev/null 2>&1 &
exec "$@" </dev/null 3<&-
`;

const maxOutputChars = 16_384;
const killGraceMs = 10_000;

/** Starts `file` in its own process group with exactly the environment `env`. POSIX only. */
export function startSupervised(
  file: string,
  args: readonly string[],
  { env, cwd, logFile }: SupervisedOptions,
): SupervisedProcess {
  const child = spawn('/bin/sh', ['-c', supervisorScript, 'sh', file, ...args], {
    env,
    ...(cwd ? { cwd } : {}),
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output = endOfText(output + text, maxOutputChars);
    });
  }
  if (logFile) copyOutput(logFile, child);
  // The pipe breaks if the watcher has exited already, which does not matter.
  child.stdin.on('error', () => undefined);

  const exited = new Promise<ProcessEnd>((resolve, reject) => {
    child.on('error', reject);
    // The event is 'close' instead of 'exit', so that the last lines of output are read too.
    child.on('close', (code, signal) => resolve({ code, signal }));
    child.on('exit', () => child.stdin.destroy());
  });
  exited.catch(() => undefined);
  const { pid } = child;
  let stopped: Promise<void> | undefined;
  return {
    // Without a pid the start failed, and `exited` rejects with the reason.
    pid: pid ?? -1,
    exited,
    output: () => output.trim(),
    stop: (graceMs = killGraceMs) => {
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
    // The process group has exited already.
  }
}

async function stopChild(
  child: ChildProcess,
  exited: Promise<ProcessEnd>,
  graceMs: number,
): Promise<void> {
  child.kill('SIGTERM');
  const timer = new AbortController();
  const killLater = delay(graceMs, undefined, { signal: timer.signal }).then(
    () => child.kill('SIGKILL'),
    () => undefined,
  );
  await exited.catch(() => undefined);
  timer.abort();
  await killLater;
}

function copyOutput(logFile: string, child: ChildProcess): void {
  mkdirSync(dirname(logFile), { recursive: true, mode: 0o700 });
  const log = createWriteStream(logFile, { flags: 'a', mode: 0o600 });
  // A full disk must not stop the server. Its last lines are in memory too.
  log.on('error', () => undefined);
  child.stdout?.pipe(log, { end: false });
  child.stderr?.pipe(log, { end: false });
  child.on('close', () => log.end());
}
