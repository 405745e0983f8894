// Tries the sources of a server executable in order, and collects why each one failed.
import { commandFailures } from '../../failures/commands.ts';
import { withFileLock } from './file-lock.ts';

export interface FoundServer {
  path: string;
  /** Name of the step that found the server, for messages. */
  origin: string;
}

export interface SearchStep {
  /** Name of the step, as a noun: "temporal on PATH". */
  name: string;
  /** What a person can do so that this step succeeds. */
  fix: string;
  /** Returns the path of the executable. @throws Error with the reason if this source has none */
  attempt: () => Promise<string>;
}

export interface FailedStep {
  name: string;
  reason: string;
  fix: string;
}

/** Thrown if no source has a server. The message lists each step, why it failed and how to fix it. */
export class TemporalServerNotFoundError extends Error {
  override name = 'TemporalServerNotFoundError';
  readonly failure = commandFailures.TEMPORAL_NOT_FOUND;
  readonly steps: readonly FailedStep[];

  constructor(program: string, steps: readonly FailedStep[]) {
    const lines = steps.map(
      (step, index) =>
        `  ${index + 1}. ${step.name}: ${step.reason.replaceAll('\n', '\n     ')}\n     Fix: ${step.fix}`,
    );
    super(`${program} not found. Tried, in this order:\n${lines.join('\n')}`);
    this.steps = steps;
  }
}

export interface ServerSearch {
  /** Name of the program that is searched for: "Temporal dev server". */
  program: string;
  /** Steps that only search. They are tried first and without the lock, so that the usual case is fast. */
  localSteps: readonly SearchStep[];
  /** Steps that download or build. */
  downloadSteps: readonly SearchStep[];
  /** Lock file of the one process that downloads or builds. */
  lockPath: string;
  onProgress: (line: string) => void;
  signal?: AbortSignal | undefined;
  /** Interval between progress messages of a long wait, ms. */
  reportIntervalMs: number;
}

// A little more than the longest build, so that a waiting process outlives a slow build.
const maxLockWaitMs = 35 * 60_000;

/** Tries the steps until one succeeds. An abort ends the search. @throws TemporalServerNotFoundError if all fail */
export async function searchServer(search: ServerSearch): Promise<FoundServer> {
  const { program, localSteps, downloadSteps, lockPath, onProgress, signal, reportIntervalMs } =
    search;
  const server = await tryLocal(search);
  if (server) return server;
  const lock = {
    signal,
    waitLimitMs: maxLockWaitMs,
    reportMs: reportIntervalMs,
    onWait: (holder: { pid: number }, waitMs: number) =>
      onProgress(
        `${program}: waiting for process ${holder.pid}, which is downloading or building it (${formatMsAsSeconds(waitMs)} so far)`,
      ),
  };
  // Once the lock is held, all steps are tried again, because the process that held the lock may have filled the cache.
  return withFileLock(lockPath, lock, () => tryInOrder(search, [...localSteps, ...downloadSteps]));
}

async function tryLocal(search: ServerSearch): Promise<FoundServer | undefined> {
  for (const step of search.localSteps) {
    search.signal?.throwIfAborted();
    const path = await step.attempt().catch(() => undefined);
    if (path) return announceStep(search, step, path);
  }
  return undefined;
}

async function tryInOrder(
  search: ServerSearch,
  steps: readonly SearchStep[],
): Promise<FoundServer> {
  const failedSteps: FailedStep[] = [];
  for (const step of steps) {
    search.signal?.throwIfAborted();
    try {
      return announceStep(search, step, await step.attempt());
    } catch (error) {
      if (search.signal?.aborted) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      failedSteps.push({ name: step.name, reason, fix: step.fix });
      search.onProgress(`${search.program}: ${step.name}: ${reason.split('\n')[0]}`);
    }
  }
  throw new TemporalServerNotFoundError(search.program, failedSteps);
}

function announceStep(search: ServerSearch, step: SearchStep, path: string): FoundServer {
  search.onProgress(`${search.program}: using ${path} (${step.name})`);
  return { path, origin: step.name };
}

/** Formats a time for progress lines, such as "40 s". */
export function formatMsAsSeconds(ms: number): string {
  return `${Math.round(ms / 1_000)} s`;
}
