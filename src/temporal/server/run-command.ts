// Runs an external command to its end, with a time limit, and keeps only the end of a long output.
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { Environment } from '../../settings/environment.ts';
import { helperEnvironmentOf } from '../../settings/helper-environment.ts';
import { type ProcessEnd, startSupervised } from './supervised-process.ts';

export interface CommandOptions {
  env: Environment;
  cwd?: string;
  timeoutMs: number;
  signal?: AbortSignal | undefined;
  /** Called every `progressIntervalMs` with the time since the start, ms. If it throws, the command is killed. */
  onProgress?: (elapsedMs: number) => void;
  progressIntervalMs?: number;
}

export class CommandError extends Error {
  override name = 'CommandError';
  /** The last lines of the command's output. */
  readonly output: string;

  constructor(message: string, output: string) {
    super(output ? `${message}\n${output}` : message);
    this.output = output;
  }
}

/**
 * Runs `file` to its end and resolves to its output, at most the last 16,384 characters. The command gets only the
 * variables of `env` that helper programs need. On timeout and on abort, the command is killed with its child
 * processes. When our own process ends, the command gets SIGTERM first. @throws CommandError on timeout and on failure
 */
export function runCommand(
  file: string,
  args: readonly string[],
  options: CommandOptions,
): Promise<string> {
  const { env, cwd, timeoutMs, signal, onProgress, progressIntervalMs = 10_000 } = options;
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(abortReason(signal));
      return;
    }
    const startedAt = performance.now();
    const child = startSupervised(file, args, { env: helperEnvironmentOf(env), cwd });
    const commandLine = [file, ...args].join(' ');
    const finish = (settle: () => void) => {
      clearTimeout(timer);
      clearInterval(progressTimer);
      signal?.removeEventListener('abort', onAbort);
      settle();
    };
    const giveUp = (error: unknown) => {
      child.kill();
      finish(() => reject(error));
    };
    const onAbort = () => giveUp(signal && abortReason(signal));
    const timer = setTimeout(() => {
      const message = `"${commandLine}" did not finish within ${timeoutMs / 1_000} s`;
      giveUp(new CommandError(message, child.output()));
    }, timeoutMs);
    const progressTimer = setInterval(() => {
      try {
        onProgress?.(performance.now() - startedAt);
      } catch (error) {
        giveUp(error);
      }
    }, progressIntervalMs);
    signal?.addEventListener('abort', onAbort, { once: true });
    const complete = (end: ProcessEnd) => {
      if (end.code === 0) return resolve(child.output());
      reject(new CommandError(`"${commandLine}" ended with ${formatExit(end)}`, child.output()));
    };
    child.exited.then(
      (end) => finish(() => complete(end)),
      (error: unknown) => finish(() => reject(error)),
    );
  });
}

/** Formats `exit code 1` or `SIGKILL`. */
export function formatExit({ code, signal }: ProcessEnd): string {
  return signal ?? `exit code ${code}`;
}

/** Finds the first executable file called `name` in the PATH of `env`. */
export async function findOnPath(name: string, env: Environment): Promise<string | undefined> {
  for (const folder of (env['PATH'] ?? '').split(delimiter)) {
    if (folder && (await isExecutable(join(folder, name)))) return join(folder, name);
  }
  return undefined;
}

export async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

function abortReason(signal: AbortSignal): Error {
  return signal.reason instanceof Error ? signal.reason : new Error('interrupted');
}
