// The materials that colorways name. Pure.
import type { AssetSource, Json, LookUp, Plan, SwapRule } from '../../../plan/types.ts';
import { withoutUndefined } from '../../../plan/without-undefined.ts';

/** A configuration of the step that makes colorway batches, with a rule for each material: for looking names up. */
export function rulesOfMaterials(rules: readonly SwapRule[]): { [name: string]: Json } {
  const byChoice = new Map(
    rules.map((rule): [string, SwapRule] => [
      `${rule.materialId ?? ''}/${rule.material ?? ''}`,
      rule,
    ]),
  );
  if (byChoice.size === 0) return {};
  return { swapRules: [...byChoice.values()].map((rule) => withoutUndefined(rule)) };
}

/** Names that stand in the file, and those of the table of its colorways. */
export function lookUpsOf(
  { node, lookUps = [], colorways }: Plan['discovery'],
  assets: readonly { source: AssetSource }[],
): LookUp[] {
  if (colorways?.from !== 'table') return lookUps;
  const rules = assets.flatMap(({ source }) => source.colorway?.rules ?? []);
  return [...lookUps, { node, activity: 'colorway_batch', config: rulesOfMaterials(rules) }];
}
