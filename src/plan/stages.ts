// The stages of a recipe: model, project, render, production file and delivered files. If only a later stage has
// changed, the results of the stages before are reused. Pure.
import type { MakingStage, Stage, Stages } from './types.ts';

/** In the order in which they run. */
export const makingStages: readonly MakingStage[] = ['source', 'composition', 'render', 'sheet'];

/** Stages whose results can be reused, in order. */
export type Standing = readonly MakingStage[];

interface Recipe {
  recipe: string;
  stages?: Stages | undefined;
}

/** Names of a recipe: its own, and the one from versions before stages. */
export function recipeNames({ recipe, stages }: Recipe): string[] {
  return [recipe, ...(stages ? [stages.before] : [])];
}

/** True for the recipe of a plan, by any of its names. */
export function isRecipeOf(plan: Recipe, one: string): boolean {
  return recipeNames(plan).includes(one);
}

/** Stages of one recipe that can be reused under another. */
export function standingOf(then: Stages | null, now: Stages | null): Standing {
  if (then === null || now === null || then.source !== now.source) return [];
  if (then.composition !== now.composition) return ['source'];
  return makingStages.filter((stage) => then[stage] === now[stage]);
}

/** The first stage that must be repeated. */
export function firstStage(standing: Standing): Stage {
  return makingStages.find((stage) => !standing.includes(stage)) ?? 'delivery';
}

/** True if the first list saves more paid work than the second. */
export function standsMore(one: Standing, other: Standing): boolean {
  return weight(one) > weight(other);
}

function weight(standing: Standing): number {
  return standing.reduce((sum, stage) => sum + 2 ** makingStages.indexOf(stage), 0);
}
