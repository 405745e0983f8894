// The interface of a contender of the benchmark.
import type { Client } from '@temporalio/client';
import type { Child } from './child.ts';
import type { BenchSandbox } from './sandbox.ts';
import type { Workload } from './workload.ts';

export interface ContenderEnvironment {
  temporal: Client;
  temporalAddress: string;
  sandbox: BenchSandbox;
  /** Number of requests per window. 0 means no limit. */
  limit: number;
  /** Length of the window in seconds. On the real platform, it is 60. */
  windowSeconds: number;
  /** Environment variables for the workers, returned by `prepare`. */
  env: Record<string, string>;
  workers: readonly Child[];
}

/** Models that one command renders to pictures. */
export interface Task {
  workload: Workload;
  /** Empty folder for the pictures. */
  out: string;
}

export interface Span {
  startedAtMs: number;
  closedAtMs: number;
}

export interface ContenderRunner {
  /** How this contender works, as one line for the table. */
  description: string;
  /** Names of its workflow types. Empty if it uses no Temporal server. */
  workflowTypes: string[];
  /** Starts what all workers share, and returns environment variables for them. */
  prepare?(contenderEnvironment: ContenderEnvironment): Promise<Record<string, string>>;
  startWorker(contenderEnvironment: ContenderEnvironment): Promise<Child>;
  /** Starts the work for all assets. Resolves once everything has been started. */
  start(contenderEnvironment: ContenderEnvironment, task: Task): Promise<void>;
  /** Resolves when the task has ended. @param sinceMs time before its start, in epoch ms */
  waitForEnd(
    contenderEnvironment: ContenderEnvironment,
    task: Task,
    sinceMs: number,
  ): Promise<Span>;
}
