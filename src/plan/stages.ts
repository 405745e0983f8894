// The stages of a recipe. If only a later stage has changed, the results of earlier stages are reused. Pure.
import type { Stage, Stages, WorkStage } from './types.ts';

/** The stages before delivery, in the order in which they run. */
export const workStages: readonly WorkStage[] = ['source', 'composition', 'render', 'sheet'];

/** Stages whose results can be reused, in order. */
export type ReusableStages = readonly WorkStage[];

/** Returns the stages of one recipe that can be reused under another. */
export function compareStages(then: Stages | null, current: Stages): ReusableStages {
  if (then?.source !== current.source) return [];
  if (then.composition !== current.composition) return ['source'];
  return workStages.filter((stage) => then[stage] === current[stage]);
}

/** Returns the first stage that must be repeated. */
export function firstStageToRunOf(reusable: ReusableStages): Stage {
  return workStages.find((stage) => !reusable.includes(stage)) ?? 'delivery';
}

/** True if the first list saves more paid work than the second. */
export function isMoreReusable(first: ReusableStages, second: ReusableStages): boolean {
  return weightOf(first) > weightOf(second);
}

function weightOf(reusable: ReusableStages): number {
  return reusable.reduce((sum, stage) => sum + 2 ** workStages.indexOf(stage), 0);
}
