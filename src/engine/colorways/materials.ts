// The materials that colorways name. Pure.
import type { Json, SwapRule } from '../../plan/types.ts';

/** A configuration of the step that makes colorway batches, with a rule for each material: for looking names up. */
export function rulesOfMaterials(rules: readonly SwapRule[]): { [name: string]: Json } {
  const byChoice = new Map(
    rules.map((rule): [string, SwapRule] => [
      `${rule.materialId ?? ''}/${rule.material ?? ''}`,
      rule,
    ]),
  );
  if (byChoice.size === 0) return {};
  return { swapRules: JSON.parse(JSON.stringify([...byChoice.values()])) as Json };
}
