// What one side of the benchmark has to be able to do.
import type { Client } from '@temporalio/client';
import type { Child } from './child.ts';
import type { BenchSandbox } from './sandbox.ts';
import type { Workload } from './workload.ts';

export interface Place {
  temporal: Client;
  temporalAddress: string;
  sandbox: BenchSandbox;
  /** Requests in a window; 0 = no limit. */
  limit: number;
  /** Length of the window; the platform's own is 60 s. */
  windowSeconds: number;
  /** What `prepare` adds to the environment of the workers. */
  env: Record<string, string>;
  /** Processes that do the work. */
  workers: readonly Child[];
}

/** Models that become pictures by one command. */
export interface Task {
  workload: Workload;
  /** Empty folder for the pictures. */
  out: string;
}

export interface Span {
  startedAtMs: number;
  closedAtMs: number;
}

export interface Side {
  /** One line for the table: how it goes about it. */
  route: string;
  /** Of its workflows; empty when it uses no Temporal server. */
  workflowTypes: string[];
  /** Starts what all workers share, and says where it is. */
  prepare?(place: Place): Promise<Record<string, string>>;
  startWorker(place: Place): Promise<Child>;
  /** Starts the work for all assets; settles when everything is started. */
  start(place: Place, task: Task): Promise<void>;
  /** Settles when a task has ended, and others that began since. @param sinceMs Epoch milliseconds. */
  ended(place: Place, task: Task, sinceMs: number): Promise<Span>;
}
