// Names of the search attributes of runs. The Temporal UI can find runs by them.
import type { Plan } from './types.ts';

export const searchAttributeNames = {
  pipeline: 'RenderlinePipeline',
  outcome: 'RenderlineOutcome',
  failedKeys: 'RenderlineFailedKeys',
  failedModels: 'RenderlineFailedModels',
  positions: 'RenderlineColorways',
  lateness: 'RenderlineLateness',
} as const;

/** True if runs of the plan can be found by the names of grid positions. */
export function hasSearchablePositions({ discovery }: Pick<Plan, 'discovery'>): boolean {
  return discovery.grid?.some(({ isSearchable }) => isSearchable) === true;
}

/** Outcome of a paused run. A working run has no outcome. */
export const pausedOutcome = 'paused';
