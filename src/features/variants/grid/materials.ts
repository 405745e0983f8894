// Collects the materials that colorways name, for their lookup. Pure.

import { withoutUndefined } from '../../../plan/helpers/without-undefined.ts';
import type { AssetSource, Json, NameLookup, Plan, SwapRule } from '../../../plan/types.ts';

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

/** The lookups for names in the pipeline file and in its colorway table. */
export function collectLookUps(
  { node, lookUps = [], colorways }: Plan['discovery'],
  assets: readonly { source: AssetSource }[],
): NameLookup[] {
  if (colorways?.from !== 'table') return lookUps;
  const rules = assets.flatMap(({ source }) => source.colorway?.rules ?? []);
  return [...lookUps, { node, activity: 'colorway_batch', config: toMaterialRules(rules) }];
}
