// Evaluates a condition of the configuration of a node.
import { compileExpression, ExpressionError, type ExpressionScope } from './expressions.ts';

/** @throws ExpressionError if the condition fails on the asset */
export function evaluateCondition(source: string, scope: ExpressionScope): boolean {
  const compiled = compileExpression(source);
  if (!compiled.ok) throw new ExpressionError(source, compiled.problem.message);
  return compiled.evaluate(scope) === true;
}
