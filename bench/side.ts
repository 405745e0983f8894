// The interface of a side of the benchmark.
import type { Client } from '@temporalio/client';
import type { Child } from './child.ts';
import type { BenchSandbox } from './sandbox.ts';
import type { Workload } from './workload.ts';

export interface ContenderEnvironment {
  temporal: Client;
  temporalAddress: string;
  sandbox: BenchSandbox;
  /** Requests per window; 0 = no limit. */
  limit: number;
  /** Length of the window in seconds; the platform's own is 60. */
  windowSeconds: number;
  /** Environment variables of the workers, from `prepare`. */
  env: Record<string, string>;
  workers: readonly Child[];
}

/** Models that one command turns into pictures. */
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
  /** One line for the table: how this side works. */
  description: string;
  /** Names of the side's workflow types; empty if the side uses no Temporal server. */
  workflowTypes: string[];
  /** Starts what all workers share, and returns its environment variables. */
  prepare?(sideEnvironment: ContenderEnvironment): Promise<Record<string, string>>;
  startWorker(sideEnvironment: ContenderEnvironment): Promise<Child>;
  /** Starts the work for all assets; resolves when everything is started. */
  start(sideEnvironment: ContenderEnvironment, task: Task): Promise<void>;
  /** Resolves when the task has ended. @param sinceMs Time before its start, in epoch milliseconds. */
  waitForEnd(sideEnvironment: ContenderEnvironment, task: Task, sinceMs: number): Promise<Span>;
}
