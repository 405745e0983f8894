// Estimates the requests that resolve the materials of swap rules. Pure.
import type { Requests, StepWork } from '../../engine/cost/step-cost.ts';
import type { SwapRule } from '../../plan/types.ts';

/** Once per run: one search per name, and one status request per 100 materials. */
export function materialRequests({ config, found }: StepWork): Requests {
  const given = config['swapRules'];
  const rules: Pick<SwapRule, 'material' | 'materialId'>[] = [
    ...(Array.isArray(given) ? given.flatMap(ruleOf) : []),
    ...found.flatMap(({ source }) => source.colorway?.rules ?? []),
  ];
  const names = new Set(rules.flatMap(({ material }) => material ?? []));
  const ids = new Set(rules.flatMap(({ materialId }) => materialId ?? []));
  return {
    ...(names.size > 0 ? { listMaterials: names.size } : {}),
    checkMaterialStatus: Math.ceil((names.size + ids.size) / 100),
  };
}

function ruleOf(rule: unknown): Pick<SwapRule, 'material' | 'materialId'>[] {
  return typeof rule === 'object' && rule !== null ? [rule] : [];
}
