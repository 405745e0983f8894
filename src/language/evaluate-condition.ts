// Evaluates a condition of the configuration of a node.
import { type ExpressionScope, evaluateExpression } from './expressions.ts';

/** Evaluates a condition. @throws ExpressionError if the condition is invalid, or fails on the asset */
export function evaluateCondition(source: string, scope: ExpressionScope): boolean {
  return evaluateExpression(source, scope) === true;
}
