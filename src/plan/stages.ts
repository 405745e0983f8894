// A recipe in stages: what made the model, the project, the render, the production file and the delivered files of an asset.
// Where only a later stage has changed, what stands before it is used again. Pure.
import type { MakingStage, Stage, Stages } from './types.ts';

/** In the order in which they are done. */
export const makingStages: readonly MakingStage[] = ['source', 'composition', 'render', 'sheet'];

/** Stages of which what was made stands, in their order. */
export type Standing = readonly MakingStage[];

interface Recipe {
  recipe: string;
  stages?: Stages | undefined;
}

/** Names of a recipe: its own, and the one that versions before stages gave it. */
export function recipeNames({ recipe, stages }: Recipe): string[] {
  return [recipe, ...(stages ? [stages.before] : [])];
}

/** True for the recipe of a plan, by any of its names. */
export function isRecipeOf(plan: Recipe, one: string): boolean {
  return recipeNames(plan).includes(one);
}

/** What was made under one recipe that stands under another. */
export function standingOf(then: Stages | null, now: Stages | null): Standing {
  if (then === null || now === null || then.source !== now.source) return [];
  if (then.composition !== now.composition) return ['source'];
  return makingStages.filter((stage) => then[stage] === now[stage]);
}

/** The first stage that must be done again. */
export function firstStage(standing: Standing): Stage {
  return makingStages.find((stage) => !standing.includes(stage)) ?? 'delivery';
}

/** True where more of what is paid for stands by the one. */
export function standsMore(one: Standing, other: Standing): boolean {
  return weight(one) > weight(other);
}

function weight(standing: Standing): number {
  return standing.reduce((sum, stage) => sum + 2 ** makingStages.indexOf(stage), 0);
}
