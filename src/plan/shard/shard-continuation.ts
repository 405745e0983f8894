import type { StepState } from './asset-track.ts';
import type { CellIndexes, ReportedFailure } from './step-contract.ts';
import type { StepCount, Totals } from './totals.ts';

/** State that a shard passes to its continuation: its open assets, and the counts of finalized ones. */
export interface CarriedShardState {
  pages: string[];
  /** Asset index, step states, entry times as [step index, ms], retries as [step index, number], stopped. */
  open: [number, StepState[], [number, number][], [number, number][], boolean][];
  totals: Totals;
  steps: Record<string, StepCount>;
  reportedFailures: ReportedFailure[];
  /** The grid cell of each open asset. Set only for a grid. */
  cells?: [at: number, cell: CellIndexes][];
}
