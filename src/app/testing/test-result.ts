// The result of one test, without the runs that it executed.
import type { Mismatch } from './check-expectations.ts';

/** The outcome of a test, and the expectations that were not met, with their positions in the test file. */
export interface PipelineTestResult {
  name: string;
  file: string;
  line: number;
  outcome: 'passed' | 'failed' | 'skipped';
  /** Duration in real time. */
  ms: number;
  /** Why the test was skipped or could not be run; otherwise empty. */
  reason: string;
  mismatches: PlacedMismatch[];
}

export interface PlacedMismatch extends Mismatch {
  line: number;
  col: number;
}
