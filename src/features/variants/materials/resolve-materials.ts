// Resolves the materials of swap rules to ids.

import type { NameContext } from '../../../engine/discovery/name-context.ts';
import type { SwapRule } from '../../slots/swap-rule.ts';
import { materialNameResolver } from './material-name-resolver.ts';

/** @throws RunCauseError for a material that does not exist, is not ready, or has an ambiguous name */
export function resolveMaterials(
  rules: readonly SwapRule[],
  { pollerContext, run, requests }: NameContext,
): Promise<string[]> {
  const choices = rules.map(({ material, materialId }) => ({ material, materialId }));
  return materialNameResolver(pollerContext).resolve(run.run, choices, requests);
}
