// Tells the step that uploads files what later nodes demand of them, so that a file is checked before it is uploaded.
import type { FileDemand, Json, Step } from '../plan/types.ts';
import { stepTypeOf } from './step-type.ts';

/** Adds the demands of all steps to the steps that check them. */
export function withDemands(steps: readonly Step[]): Step[] {
  const demands = steps.flatMap((step): FileDemand[] => {
    const needs = needsOf(step);
    return needs === null ? [] : [{ node: step.node, needs, when: conditionsOf(step, steps) }];
  });
  if (demands.length === 0) return [...steps];
  return steps.map((step) =>
    stepTypeOf(step.activity)?.checksDemands ? { ...step, demands } : step,
  );
}

function needsOf({ activity, config }: Step): Json | null {
  const type = stepTypeOf(activity);
  const parsed = type?.fileNeeds && type.config.safeParse(config);
  return parsed?.success ? (type?.fileNeeds?.(parsed.data) ?? null) : null;
}

/** All `when:` conditions on the path to a step. */
function conditionsOf(step: Step, steps: readonly Step[]): string[] {
  const path = new Set<Step>([step]);
  for (const one of path) {
    for (const parent of steps.filter(({ id }) => one.parents.includes(id))) path.add(parent);
  }
  return [...new Set([...path].flatMap(({ when }) => when ?? []))];
}
