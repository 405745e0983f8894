// Estimates the requests that resolve the materials of swap rules. Pure.
import type { Requests, StepWork } from '../../../engine/cost/step-cost.ts';
import { rulesOf, type SwapRule } from '../../slots/swap-rule.ts';

/** Counts the requests of a run: one search per name, and one status request per 100 materials. */
export function materialRequests({ config, found }: StepWork): Requests {
  const given = config['swapRules'];
  const rules: MaterialChoice[] = [
    ...(Array.isArray(given) ? given.flatMap(ruleOf) : []),
    ...found.flatMap(({ source }) => rulesOf(source) ?? []),
  ];
  const names = new Set(rules.flatMap(({ material }) => material ?? []));
  const ids = new Set(rules.flatMap(({ materialId }) => materialId ?? []));
  return {
    ...(names.size > 0 ? { listMaterials: names.size } : {}),
    checkMaterialStatus: Math.ceil((names.size + ids.size) / 100),
  };
}

type MaterialChoice = Partial<Pick<SwapRule, 'material' | 'materialId'>>;

function ruleOf(rule: unknown): MaterialChoice[] {
  return typeof rule === 'object' && rule !== null ? [rule] : [];
}
