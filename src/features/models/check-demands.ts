// Checks a model's file against everything that later nodes demand of it, before the upload.
import type { FailureReason } from '../../failures/fail.ts';
import type { Asset, FileDemand, Plan } from '../../plan/types.ts';
import type { InspectedModel } from '../model-rules/compare-model.ts';
import { checkRules, type NodeRules } from '../model-rules/rule-demands.ts';
import { checkSlots } from '../slots/slot-demands.ts';

export interface DemandCheck {
  /** Failure of a file that does not meet the demands; null if the file is accepted. */
  fault: FailureReason | null;
  /** Warnings about rules. */
  warnings: string[];
  slotWarnings: string[];
}

/** @param rules the rules for the asset, as `rulesFor` finds them among `demands` */
export function checkDemands(
  asset: Asset,
  model: InspectedModel,
  demands: readonly FileDemand[],
  parameters: Plan['parameters'],
  rules: readonly NodeRules[],
): DemandCheck {
  const byRules = checkRules(rules, model);
  const bySlots = checkSlots(asset, model.inspection, demands, parameters);
  return {
    fault: byRules.fault ?? bySlots.fault,
    warnings: byRules.warnings,
    slotWarnings: bySlots.warnings,
  };
}
