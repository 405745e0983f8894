// Passes the demands of later nodes to the step that uploads files, so that files are checked before the upload.
import { hasOwnStep, type StepType } from '../engine/node-type.ts';
import { findStepType } from '../features/index.ts';
import type { FileDemand, Json, Step } from '../plan/types.ts';
import type { NodeDraft } from './node-draft.ts';

/** Adds the demands of all steps, and of nodes without steps, to the steps that check demands. */
export function withDemands(steps: readonly Step[], nodes: readonly NodeDraft[]): Step[] {
  const ofSteps = steps.flatMap((step): FileDemand[] => {
    const needs = needsOf(findStepType(step.activity), step.config);
    return needs === null ? [] : [{ node: step.node, needs, when: conditionsOf(step, steps) }];
  });
  const ofNodes = nodes.flatMap(({ id, type, config, when }): FileDemand[] => {
    const needs = type === null || hasOwnStep(type) ? null : needsOf(type, config);
    return needs === null ? [] : [{ node: id, needs, when: when === null ? [] : [when] }];
  });
  const demands = [...ofNodes, ...ofSteps];
  if (demands.length === 0) return [...steps];
  return steps.map((step) =>
    findStepType(step.activity)?.checksDemands ? { ...step, demands } : step,
  );
}

function needsOf(
  type: Pick<StepType, 'config' | 'fileNeeds'> | undefined,
  config: Json,
): Json | null {
  const result = type?.fileNeeds && type.config.safeParse(config);
  return result?.success ? (type?.fileNeeds?.(result.data) ?? null) : null;
}

/** Returns all `when:` conditions on all paths to a step. */
function conditionsOf(step: Step, steps: readonly Step[]): string[] {
  const path = new Set<Step>([step]);
  for (const pathStep of path) {
    for (const parent of steps.filter(({ id }) => pathStep.parents.includes(id))) path.add(parent);
  }
  return [...new Set([...path].flatMap(({ when }) => when ?? []))];
}
