// The interface of a contender of the benchmark.
import type { Client } from '@temporalio/client';
import type { Child } from './child.ts';
import type { BenchSandbox } from './sandbox.ts';
import type { Workload } from './workload.ts';

export interface ContenderEnvironment {
  temporal: Client;
  temporalAddress: string;
  sandbox: BenchSandbox;
  /** Requests per window. 0 means no limit. */
  limit: number;
  /** Length of the window in seconds. The platform's own is 60. */
  windowSeconds: number;
  /** Environment variables of the workers, from `prepare`. */
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
  /** One line for the table: how this contender works. */
  description: string;
  /** Names of its workflow types. Empty if it uses no Temporal server. */
  workflowTypes: string[];
  /** Starts what all workers share, and returns its environment variables. */
  prepare?(contenderEnvironment: ContenderEnvironment): Promise<Record<string, string>>;
  startWorker(contenderEnvironment: ContenderEnvironment): Promise<Child>;
  /** Starts the work for all assets. Resolves when everything is started. */
  start(contenderEnvironment: ContenderEnvironment, task: Task): Promise<void>;
  /** Resolves when the task has ended. @param sinceMs Time before its start, in epoch milliseconds. */
  waitForEnd(
    contenderEnvironment: ContenderEnvironment,
    task: Task,
    sinceMs: number,
  ): Promise<Span>;
}
