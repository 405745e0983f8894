// Decides a condition on an asset before its file is uploaded. Pure.
import type { Asset, Plan } from '../plan/types.ts';
import {
  type ConditionVerdict,
  decideCondition,
  unresolvedVariables,
} from './condition-verdict.ts';
import { compileExpression, expressionScopeOf } from './expressions.ts';

/**
 * Decides a condition. Values that only the run adds count as unknown: `yes` and `no` are right for all such values.
 * `fails` also for an invalid condition.
 */
export function decideBeforeUpload(
  when: string,
  asset: Asset,
  parameters: Plan['parameters'],
): ConditionVerdict {
  const condition = compileExpression(when);
  if (!condition.ok) return 'fails';
  return decideCondition(condition, expressionScopeOf(asset, parameters), unresolvedVariables);
}
