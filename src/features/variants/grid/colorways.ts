// The dimension of colorways: which materials are assigned to which slots of a model.
import { defineDimension } from '../../../engine/grid/dimension.ts';
import type { Position } from '../../../plan/grid.ts';
import { omitUndefined } from '../../../plan/helpers/omit-undefined.ts';
import type { Json } from '../../../plan/types.ts';
import { parseRulesPayload, type SwapRule } from '../../slots/swap-rule.ts';
import { ColorwaySpec } from './colorway-spec.ts';

export const colorways = defineDimension({
  name: 'colorway',
  plural: 'colorways',
  baseNoun: 'a model',
  isSearchable: true,
  spec: ColorwaySpec,
  ids: {
    sharedIds: ['colorway', 'variants', 'variantName', 'templateId'],
    recipeIndependentIds: ['variants', 'variantName'],
    progress: [
      ({ variants }) => variants !== undefined,
      ({ colorway }) => colorway?.batchId !== undefined,
    ],
  },
  count: (spec) => (spec.from === 'table' ? null : spec.colorways.length),
  // The module is loaded on first use, because commands that only compile do not need a table reader.
  open: async (spec, context) => (await import('./colorway-axis.ts')).openColorways(spec, context),
  lookupConfig: (spec) =>
    spec.from === 'table' ? {} : toMaterialRules(spec.colorways.flatMap(({ rules }) => rules)),
  // The materials of a table are known only after the table has been read.
  lookupsOf: (spec, positions) =>
    spec.from === 'table'
      ? [{ activity: 'colorway_batch', config: toMaterialRules(rulesOfAll(positions)) }]
      : [],
  locationOf: (spec, connectors) =>
    spec.from === 'table'
      ? [connectors[spec.connector] ?? null, spec.path, spec.tags ?? null]
      : null,
});

function rulesOfAll(positions: readonly Position[]) {
  return positions.flatMap(({ payload }) => parseRulesPayload(payload));
}

/** Creates a configuration of the colorway batch step with one rule per distinct material, to look up all names. */
function toMaterialRules(rules: readonly SwapRule[]): { [name: string]: Json } {
  const nameOf = ({ materialId = '', material = '' }: SwapRule) => `${materialId}/${material}`;
  const ruleByName = new Map(rules.map((rule) => [nameOf(rule), rule]));
  if (ruleByName.size === 0) return {};
  return { swapRules: [...ruleByName.values()].map((rule) => omitUndefined(rule)) };
}
