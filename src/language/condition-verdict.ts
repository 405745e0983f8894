// Decides a condition on an asset while some of its variables are unknown. Pure.

import type { Asset, Plan } from '../plan/types.ts';
import {
  type CompiledExpression,
  compileExpression,
  ExpressionError,
  type ExpressionScope,
  evaluateExpression,
  toExpressionScope,
} from './expressions.ts';

const unresolvedVariables = [
  'model.id',
  'model.category',
  'model.properties',
  'template.id',
  'project.id',
] as const;
export type UnresolvedVariable = (typeof unresolvedVariables)[number];

/** `unknown`: depends on an unknown variable. `fails`: fails on this asset for all unknown values. */
export type ConditionVerdict = 'yes' | 'no' | 'unknown' | 'fails';

/**
 * Evaluates a condition. Reading an unknown variable throws. CEL ignores an error on one side of `&&` or `||` if the
 * other side decides, so `false && unknown` is `no`.
 * @param maskedVariables variables whose values in the scope are ignored
 */
export function decideCondition(
  condition: Extract<CompiledExpression, { ok: true }>,
  scope: ExpressionScope,
  maskedVariables: readonly UnresolvedVariable[],
): ConditionVerdict {
  let isRead = false;
  const maskedScope: ExpressionScope = {
    ...scope,
    model: { ...scope.model },
    template: { ...scope.template },
    project: { ...scope.project },
  };
  for (const variable of maskedVariables) {
    // A variable has exactly these two parts.
    const [owner, field] = variable.split('.') as ['model' | 'template' | 'project', string];
    Object.defineProperty(maskedScope[owner], field, {
      enumerable: true,
      get() {
        isRead = true;
        throw new RangeError(`${variable} is not available yet`);
      },
    });
  }
  try {
    return condition.evaluate(maskedScope) === true ? 'yes' : 'no';
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    return isRead ? 'unknown' : 'fails';
  }
}

/**
 * Decides a condition. Values that only the run adds count as unknown, so `yes` and `no` are right for all such values.
 * An invalid condition also returns `fails`.
 */
export function decideBeforeUpload(
  source: string,
  asset: Asset,
  parameters: Plan['parameters'],
): ConditionVerdict {
  const condition = compileExpression(source);
  if (!condition.ok) return 'fails';
  return decideCondition(condition, toExpressionScope(asset, parameters), unresolvedVariables);
}

/** Evaluates a condition. @throws ExpressionError if the condition is invalid, or fails on the asset */
export function evaluateCondition(source: string, scope: ExpressionScope): boolean {
  return evaluateExpression(source, scope) === true;
}
