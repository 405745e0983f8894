// Ids of the materials that swap rules name.

import type { NameContext } from '../../machinery/discovery/name-context.ts';
import type { SwapRule } from '../../plan/types.ts';
import { materialNames } from './material-names.ts';

/** @throws RunCauseError for a material that is not there, not ready, or not the only one of its name. */
export function materialsOf(
  rules: readonly SwapRule[],
  { lookout, run, requests }: NameContext,
): Promise<string[]> {
  const choices = rules.map(({ material, materialId }) => ({ material, materialId }));
  return materialNames(lookout).resolve(run.run, choices, requests);
}
