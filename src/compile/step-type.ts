import type { StepType } from '../engine/node-type.ts';
import { stepTypes } from '../features/index.ts';

/** The step type with this activity; undefined if there is none. */
export function stepTypeOf(activity: string): StepType | undefined {
  return stepTypes.find(({ type }) => type === activity);
}
