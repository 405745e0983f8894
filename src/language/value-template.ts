// Text with CEL in double braces. `{{ asset.folder }}` alone keeps its type. Within other text, it becomes text.
import { type ExpressionScope, evaluateExpression } from './expressions.ts';
import { findPlaceholders } from './naming/placeholders.ts';

export interface InnerExpression {
  source: string;
  /** Offset in the text. */
  start: number;
}

/** Finds the expressions of a text, in order. */
export function findExpressions(text: string): InnerExpression[] {
  const { placeholders } = findPlaceholders(text, '{{');
  return placeholders.map(({ source, sourceStart }) => ({ source, start: sourceStart }));
}

/** Fills in the expressions of a text. @throws ExpressionError if one is invalid, or fails on this asset */
export function evaluateTemplate(text: string, scope: ExpressionScope): boolean | string | number {
  const { placeholders } = findPlaceholders(text, '{{');
  const [only, ...others] = placeholders;
  const isWhole =
    only !== undefined &&
    others.length === 0 &&
    text.slice(0, only.start).trim() === '' &&
    text.slice(only.end).trim() === '';
  if (isWhole) return evaluateExpression(only.source, scope);
  let result = '';
  let from = 0;
  for (const { source, start, end } of placeholders) {
    result += text.slice(from, start) + String(evaluateExpression(source, scope));
    from = end;
  }
  return result + text.slice(from);
}
