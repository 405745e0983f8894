// Starts helper processes that run a script in Node, with an environment without keys.
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { computeBackoffMs } from '../api/errors/retry.ts';
import { processEnvironment } from './config.ts';
import { helperEnvironmentOf } from './helper-environment.ts';

/** The machine has too few processes, open files or memory for another process. No file is to blame. */
export class HelperStartError extends Error {
  override name = 'HelperStartError';
  readonly code = 'PROCESS_NOT_STARTED';

  constructor(cause: unknown) {
    const reason = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
    super(`This machine cannot start another process (${reason})`, { cause });
  }

  retryDelayMs(attempt: number): number {
    return computeBackoffMs(attempt);
  }
}

/** A helper process. `started` rejects with a HelperStartError, and until it resolves, the streams may be missing. */
export interface Helper {
  child: ChildProcess;
  started: Promise<unknown>;
}

/** @throws HelperStartError */
export function startHelper(args: readonly string[], options: Omit<SpawnOptions, 'env'>): Helper {
  const toStartError = (error: unknown) => {
    throw new HelperStartError(error);
  };
  try {
    const env = helperEnvironmentOf(processEnvironment());
    const child = spawn(process.execPath, args, { ...options, env });
    const started = once(child, 'spawn').catch(toStartError);
    // The caller may await the promise later.
    started.catch(() => undefined);
    return { child, started };
  } catch (error) {
    return toStartError(error);
  }
}
