// The inputs of a pipeline's newest run that took all assets, for comparison with a plan.
import type { Json } from '../../plan/types.ts';

export const lastRunSchema = 'renderline/last-run/v1';
export const lastRunName = 'last-run.json';

export interface LastRun {
  schema: typeof lastRunSchema;
  run: string;
  /** Hash of everything that affects an asset's outputs. If it changes, the changed stages are repeated. */
  recipe: string;
  /** Time in ISO 8601 format. */
  startedAt: string;
  parameters: { readonly [name: string]: Json };
  /** Number of assets by status. */
  counts: { total: number; new: number; changed: number; unchanged: number };
}

export interface PlanDifference {
  run: string;
  startedAt: string;
  recipeChanged: boolean;
  /** Parameters that differ. Null if one side lacks the parameter. */
  parameters: { [name: string]: { was: Json; is: Json } };
}

export function compareWithLastRun(
  last: Pick<LastRun, 'run' | 'startedAt' | 'recipe' | 'parameters'>,
  next: Pick<LastRun, 'recipe' | 'parameters'>,
): PlanDifference {
  const names = new Set([...Object.keys(last.parameters), ...Object.keys(next.parameters)]);
  const parameters: PlanDifference['parameters'] = {};
  for (const name of [...names].sort()) {
    const was = last.parameters[name] ?? null;
    const is = next.parameters[name] ?? null;
    if (JSON.stringify(was) !== JSON.stringify(is)) parameters[name] = { was, is };
  }
  const { run, startedAt } = last;
  const recipeChanged = next.recipe !== last.recipe;
  return { run, startedAt, recipeChanged, parameters };
}
