// The inputs of the newest run of a pipeline, which a plan is compared to.
import { isRecipeOf } from '../../plan/stages.ts';
import type { Json, Plan } from '../../plan/types.ts';

export const lastRunSchema = 'renderline/last-run/v1';
export const lastRunName = 'last-run.json';

export interface LastRun {
  schema: typeof lastRunSchema;
  run: string;
  /** Hash of all that decides what becomes of an asset; another one means that all are done again. */
  recipe: string;
  /** ISO 8601. */
  startedAt: string;
  parameters: { readonly [name: string]: Json };
  /** Files found, by whether they had been done before. */
  counts: { total: number; new: number; changed: number; unchanged: number };
}

/** How a plan differs from the newest run. */
export interface PlanDifference {
  run: string;
  startedAt: string;
  recipeChanged: boolean;
  /** Parameters that differ; null where one side does not have it. */
  parameters: { [name: string]: { was: Json; is: Json } };
}

/** Compares what a run would be started with to what the last one was started with. */
export function differenceFrom(
  last: Pick<LastRun, 'run' | 'startedAt' | 'recipe' | 'parameters'>,
  next: Pick<LastRun, 'recipe' | 'parameters'> & Pick<Plan, 'stages'>,
): PlanDifference {
  const names = new Set([...Object.keys(last.parameters), ...Object.keys(next.parameters)]);
  const parameters: PlanDifference['parameters'] = {};
  for (const name of [...names].sort()) {
    const was = last.parameters[name] ?? null;
    const is = next.parameters[name] ?? null;
    if (JSON.stringify(was) !== JSON.stringify(is)) parameters[name] = { was, is };
  }
  const { run, startedAt } = last;
  const recipeChanged = !isRecipeOf(next, last.recipe);
  return { run, startedAt, recipeChanged, parameters };
}
