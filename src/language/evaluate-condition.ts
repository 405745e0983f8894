// Evaluates a condition of the configuration of a node.
import { type ExpressionScope, evaluateExpression } from './expressions.ts';

/** @throws ExpressionError if the condition fails on the asset */
export function evaluateCondition(source: string, scope: ExpressionScope): boolean {
  return evaluateExpression(source, scope) === true;
}
