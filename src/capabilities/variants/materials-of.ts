// Resolves the materials of swap rules to ids.

import type { NameContext } from '../../machinery/discovery/name-context.ts';
import type { SwapRule } from '../../plan/types.ts';
import { materialNames } from './material-names.ts';

/** @throws RunCauseError for a material that does not exist, is not ready, or has an ambiguous name */
export function materialsOf(
  rules: readonly SwapRule[],
  { lookout, run, requests }: NameContext,
): Promise<string[]> {
  const choices = rules.map(({ material, materialId }) => ({ material, materialId }));
  return materialNames(lookout).resolve(run.run, choices, requests);
}
