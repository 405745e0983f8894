// What a shard hands to its continuation.
import type { Mark } from './asset-track.ts';
import type { CellAt, ToldFailure } from './step-contract.ts';
import type { StepCount, Totals } from './totals.ts';

/** State that a shard hands to its continuation: its open assets, and counts of those that have settled. */
export interface CarriedState {
  pages: string[];
  /** Position, marks, entries as [step, ms], times gone back as [step, number], stopped. */
  open: [number, Mark[], [number, number][], [number, number][], boolean][];
  totals: Totals;
  steps: Record<string, StepCount>;
  told: ToldFailure[];
  /** The grid cell of each open asset, for a colorway grid. */
  cells?: [at: number, cell: CellAt][];
}
