// Collects the materials that colorways name, for their lookup. Pure.

import { withoutUndefined } from '../../../plan/helpers/without-undefined.ts';
import type { Json } from '../../../plan/types.ts';
import type { SwapRule } from '../../slots/swap-rule.ts';

/** A configuration of the colorway batch step with one rule per distinct material, to look up all names. */
export function toMaterialRules(rules: readonly SwapRule[]): { [name: string]: Json } {
  const byChoice = new Map(
    rules.map((rule): [string, SwapRule] => [
      `${rule.materialId ?? ''}/${rule.material ?? ''}`,
      rule,
    ]),
  );
  if (byChoice.size === 0) return {};
  return { swapRules: [...byChoice.values()].map((rule) => withoutUndefined(rule)) };
}
