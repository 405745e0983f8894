// What one side of the benchmark has to be able to do.
import type { Client } from '@temporalio/client';
import type { Child } from './child.ts';
import type { BenchSandbox } from './sandbox.ts';
import type { Workload } from './workload.ts';

export interface Place {
  temporal: Client;
  temporalAddress: string;
  sandbox: BenchSandbox;
  workload: Workload;
  /** Requests a minute; 0 = no limit. */
  limit: number;
  /** Empty folder for the pictures. */
  out: string;
}

export interface Side {
  /** One line for the table: how it goes about it. */
  route: string;
  workflowTypes: string[];
  startWorker(place: Place): Promise<Child>;
  /** Starts the work for all assets; settles when everything is started. */
  start(place: Place): Promise<void>;
  /** Have as many workflows closed as the work makes? Asked when none is running. */
  ended(closed: number, workload: Workload): boolean;
}
