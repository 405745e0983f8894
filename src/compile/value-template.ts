// Texts with CEL in double braces: `{{ asset.folder }}` alone keeps its type, among other text it becomes text.
import { compileExpression, ExpressionError, type Scope } from './expressions.ts';

export interface InnerExpression {
  source: string;
  /** Offset in the text. */
  start: number;
}

const braces = /\{\{([^]*?)\}\}/g;

/** The expressions of a text, in order. */
export function expressionsIn(text: string): InnerExpression[] {
  return [...text.matchAll(braces)].map((match) => {
    const inner = match[1] ?? '';
    const lead = inner.length - inner.trimStart().length;
    return { source: inner.trim(), start: match.index + 2 + lead };
  });
}

/** Where braces stand without their pair; -1 where all have one. */
export function loneBraces(text: string): number {
  return text.replaceAll(braces, (match) => 'x'.repeat(match.length)).search(/\{\{|\}\}/);
}

/** @throws ExpressionError when an expression fails on this asset. */
export function evaluateTemplate(text: string, scope: Scope): boolean | string | number {
  const [only, ...others] = expressionsIn(text);
  const isWhole = only !== undefined && others.length === 0 && /^\{\{[^]*\}\}$/.test(text.trim());
  if (isWhole) return evaluate(only.source, scope);
  return text.replaceAll(braces, (_match, inner: string) => String(evaluate(inner.trim(), scope)));
}

function evaluate(source: string, scope: Scope): boolean | string | number {
  const compiled = compileExpression(source);
  if (!compiled.ok) throw new ExpressionError(source, compiled.problem.message);
  return compiled.evaluate(scope);
}
